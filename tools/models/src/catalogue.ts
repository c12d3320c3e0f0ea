/** A file of a model, as the hub has it at the model's revision. */
export interface ModelFile {
  readonly path: string;
  /** Bytes; unknown of a model that is not in the catalogue. */
  readonly size?: number;
  readonly sha256?: string;
}

export interface Model {
  /** The folder that it is installed in, by which engines find it. */
  readonly name: string;
  readonly what: string;
  /** On the model hub. */
  readonly repository: string;
  readonly revision: string;
  readonly files: readonly ModelFile[];
}

const file = (path: string, size: number, sha256: string): ModelFile => ({ path, size, sha256 });

const speechFiles = [
  'config.json',
  'generation_config.json',
  'preprocessor_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'onnx/encoder_model_quantized.onnx',
  'onnx/decoder_model_merged_quantized.onnx',
];

const speech = (name: string, what: string, revision: string, pins: readonly (readonly [number, string])[]): Model => ({
  name,
  what,
  repository: `onnx-community/${name}`,
  revision,
  files: pins.map(([size, sha256], at) => file(speechFiles[at] ?? '', size, sha256)),
});

const preprocessor = [339, 'a6a76d28c93edb273669eb9e0b0636a2bddbb1272c3261e47b7ca6dfdbac1b8d'] as const;
const multilingualTokenizer = [2_480_466, '27fc476bfe7f17299480be2273fc0608e4d5a99aba2ab5dec5374b4482d1a566'] as const;

/** What can be installed by name with checksums that are known before anything is fetched. The first two are the usual ones. */
export const catalogue: readonly Model[] = [
  {
    name: 'all-MiniLM-L6-v2',
    what: 'meanings of texts, English',
    repository: 'Xenova/all-MiniLM-L6-v2',
    revision: '751bff37182d3f1213fa05d7196b954e230abad9',
    files: [
      file('config.json', 650, '7135149f7cffa1a573466c6e4d8423ed73b62fd2332c575bf738a0d033f70df7'),
      file('special_tokens_map.json', 125, 'b6d346be366a7d1d48332dbc9fdf3bf8960b5d879522b7799ddba59e76237ee3'),
      file('tokenizer.json', 711_661, 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0'),
      file('tokenizer_config.json', 366, '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3'),
      file('onnx/model_quantized.onnx', 22_972_370, 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1'),
    ],
  },
  speech('whisper-base', 'speech to text, 99 languages', '1846881b6b3a3024392c1eea3ad983695bc23925', [
    [2243, 'f4d0608f7d918166da7edb3e188de5ef1bfe70d9802e785d271fd88111e9cf4b'],
    [3832, '61070cf8de25b1e9256e8e102ded49d8d24a8369ed36ef84fdf21549e68125a0'],
    preprocessor,
    multilingualTokenizer,
    [282_682, '2e036e4dbacfdeb7242c7d4ec4149f4a16e86026048f94d1637e3a8ee9c6a573'],
    [23_201_314, '5862993336bf33acd23736071aae2b32261d3b1b2f37780194460d4ef974dd46'],
    [53_693_315, 'fa3ef9902734ce5ae6f9ef2bdb2ba9a6c4b5785b09f4f420ce036573dc9d090b'],
  ]),
  speech('whisper-tiny.en', 'speech to text, English, the fastest', '2575352d61be1bf7225cf8f8b268a4678025fc58', [
    [2197, '251ea843b5901a99efa58c0b99b8052c6019aa3e7d2baf46693a1128ff606233'],
    [1646, '7b2e8451ed5f118e75fdd991409d72119d21d2fef1eba9723f68fb9c57fe5dc9'],
    preprocessor,
    [2_405_679, '5eb60cec1e77aeeb6869a2bb5a8e01a84c3fe5d072d75369343021fe6f5310d0'],
    [282_662, '93879c3dccdd4b976f709acd85b44778873f30c275e67026f30ca1e4c975230c'],
    [10_124_993, 'e93ec822f16a8fd264e7de972ad17d615ea7334b75a52d54c50c2e18dd503a25'],
    [30_718_858, 'c0592d0749413c960569e1c7fb806b060d5d18f3ebad4a95cbf9a77dc6e9be52'],
  ]),
  speech(
    'whisper-small',
    'speech to text, 99 languages, better and slower',
    '36050c46d777d46dc4b5f43f6d90574fc38f8732',
    [
      [2227, '457854d452f17661e197d74aee12b8e74fb75ba30ebfaa7426d0d61ea1e08a18'],
      [3893, 'f538b28220c6a6d6f1af1458d4141cacb4ef4963df3de98a19490440c412ddf0'],
      preprocessor,
      multilingualTokenizer,
      [282_683, '2a4c4281cf9f51ac6ccc406fdc711a087afe6530f671fa7b80953edc498275ce'],
      [92_326_160, 'a43a83f3c5361cd591cfa7c36f14b43cf7cb22f47a415cc14a8d557be800fa92'],
      [156_750_845, 'ec07c3cbb64172c39791e26ee870a65ac22b458c36722bfe2776b3dbf741e0c9'],
    ],
  ),
];

/** The same, of which nobody has noted sizes and checksums yet: whoever installs it is told those of what has come. */
export const withoutChecksums: readonly Model[] = [
  ['ms-marco-MiniLM-L-6-v2', 'which text answers a question best, English'],
  ['multilingual-e5-small', 'meanings of texts, about 100 languages'],
  ['bge-small-en-v1.5', 'meanings of texts, English'],
].map(([name = '', what = '']) => ({
  name,
  what,
  repository: `Xenova/${name}`,
  revision: 'main',
  files: [
    'config.json',
    'special_tokens_map.json',
    'tokenizer.json',
    'tokenizer_config.json',
    'onnx/model_quantized.onnx',
  ].map((path) => ({ path })),
}));

const known: readonly Model[] = [...catalogue, ...withoutChecksums];

/** What `npm run models -- install` installs unless it is told otherwise. */
export const usual = ['all-MiniLM-L6-v2', 'whisper-base'];

/** The model of this name; of a Whisper that is not in the catalogue what its repository must have. */
export function modelNamed(name: string): Model {
  const found = known.find((model) => model.name === name);
  if (found) return found;
  if (!/^whisper-[a-z0-9.-]+$/.test(name)) {
    throw new Error(`"${name}" is not known; there are ${known.map((model) => model.name).join(', ')}.`);
  }
  return {
    name,
    what: 'speech to text',
    repository: `onnx-community/${name}`,
    revision: 'main',
    files: speechFiles.map((path) => ({ path })),
  };
}
