import { readFile } from 'node:fs/promises';
import type { LocalModelOptions } from '../../model-runtime/models/local-models.ts';
import { serveTasks } from '../../model-runtime/models/serve-tasks.ts';
import { openPipeline } from '../../model-runtime/models/transformers.ts';
import { speechSamples } from './speech-samples.ts';
import { SAMPLE_RATE, spokenParts } from './voice-activity.ts';
import type { WhisperAnswer, WhisperTask } from './whisper-recogniser.ts';

interface Chunk {
  readonly timestamp: readonly [number, number | null];
  readonly text: string;
}

interface Generated {
  tolist(): (number | bigint)[][];
}

/** What we use of the library's pipeline. */
interface Transcriber {
  (samples: Float32Array, options: object): Promise<{ readonly text: string; readonly chunks?: readonly Chunk[] }>;
  readonly processor: (samples: Float32Array) => Promise<{ readonly input_features: unknown }>;
  readonly model: {
    readonly generation_config: {
      readonly is_multilingual?: boolean;
      readonly decoder_start_token_id: number;
      readonly lang_to_id?: Readonly<Record<string, number>>;
    };
    generate(this: void, options: object): Promise<Generated>;
  };
}

/** Whisper hears 30 s at a time; the chunks of what is longer overlap by 5 s on each side, so that no word is cut. */
const chunks = { chunk_length_s: 30, stride_length_s: 5, return_timestamps: true };

serveTasks(async (options: LocalModelOptions) => {
  const transcribe = await openPipeline<Transcriber>('automatic-speech-recognition', options);
  return async ({ path, language: told }: WhisperTask): Promise<WhisperAnswer> => {
    const samples = samplesOf(await readFile(path));
    const parts = spokenParts(samples);
    const [first] = parts;
    if (!first) return { segments: [], language: told };
    const { is_multilingual: multilingual = false } = transcribe.model.generation_config;
    const language = multilingual
      ? (told ?? (await languageOf(transcribe, speechSamples(samples, first).shown)))
      : 'en';
    const segments = [];
    for (const part of parts) {
      // A model for English alone refuses to be told.
      const { shown, lead } = speechSamples(samples, part);
      const { text, chunks: heard } = await transcribe(shown, {
        ...chunks,
        ...(multilingual && { language }),
      });
      const start = part.from / SAMPLE_RATE;
      const end = part.to / SAMPLE_RATE;
      for (const chunk of heard ?? [{ timestamp: [0, null] as const, text }]) {
        if (chunk.text.trim() === '') continue;
        const [from, to] = chunk.timestamp.map((at) => at && Math.max(0, at - lead / SAMPLE_RATE)) as [
          number,
          number | null,
        ];
        segments.push({
          start: start + from,
          end: Math.min(end, start + (to ?? end - start)),
          text: chunk.text.trim(),
        });
      }
    }
    return { segments, language };
  };
});

/** The language that is spoken, by the token with which the model would begin; the library takes English unless told. */
async function languageOf({ processor, model }: Transcriber, samples: Float32Array): Promise<string> {
  const { decoder_start_token_id: start, lang_to_id: languages = {} } = model.generation_config;
  const { input_features: inputs } = await processor(samples.subarray(0, 30 * SAMPLE_RATE));
  const generated = await model.generate({ inputs, decoder_input_ids: [start], max_new_tokens: 1 });
  const token = Number(generated.tolist()[0]?.at(-1));
  const [name] = Object.entries(languages).find(([, id]) => id === token) ?? [];
  return name?.replaceAll(/[<|>]/g, '') ?? 'en';
}

/** Without copying: an hour is 115 MB. */
function samplesOf(bytes: Buffer): Int16Array {
  const whole = bytes.byteOffset % 2 === 0 ? bytes : Buffer.from(bytes);
  return new Int16Array(whole.buffer, whole.byteOffset, Math.floor(whole.length / 2));
}
