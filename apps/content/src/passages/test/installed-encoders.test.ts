import { afterAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { localModels } from '../../model-runtime/models/local-models.ts';
import { installedEncoders } from '../models/installed-encoders.ts';
import { localEmbeddings } from '../models/local-embeddings.ts';

const folder = mkdtempSync(join(tmpdir(), 'models-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** In place of the library that runs models: a vector that says how long the text was and how it was asked for. */
const LIBRARY = `
exports.env = {};
exports.pipeline = async (task, model) => async (texts, { pooling, normalize }) => ({
  dims: [texts.length, 3],
  data: Float32Array.from(texts.flatMap((text) => [text.length, pooling === 'mean' ? 1 : 2, normalize ? 1 : 0])),
});
`;

function write(path: string, text = '{}'): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
write('node_modules/@huggingface/transformers/package.json', '{"main":"index.cjs"}');
write('node_modules/@huggingface/transformers/index.cjs', LIBRARY);
for (const model of ['multilingual-e5-small', 'bge-small-en-v1.5', 'all-MiniLM-L6-v2']) write(`${model}/config.json`);

// The weights of the first two could not be had: what they are given is tried, and not what they make of it.
describe('an encoder that is installed', () => {
  it.each([
    ['multilingual-e5-small', 1, 'query: ', 'passage: '],
    ['bge-small-en-v1.5', 2, 'Represent this sentence for searching relevant passages: ', ''],
    ['all-MiniLM-L6-v2', 1, '', ''],
  ])('%s reads what it was trained with in front of a text', async (name, pooling, question, passage) => {
    const encoder = installedEncoders(localModels(folder)).find(({ model }) => model === name);
    if (!encoder) throw new Error(`${name} is not found`);
    const embeddings = localEmbeddings(encoder, { warn: () => undefined });
    try {
      const lengths: number[] = [];
      for (const as of ['question', 'passage', undefined] as const) {
        const [[length = NaN, way = NaN, normalised = NaN] = []] = await embeddings.embed(['Urlaub'], {
          organisationId: 'org_1',
          as,
        });
        lengths.push(Math.round(length / normalised));
        expect(Math.round(way / normalised)).toBe(pooling);
      }
      expect(lengths).toEqual([question, passage, ''].map((prefix) => prefix.length + 'Urlaub'.length));
    } finally {
      await embeddings.close();
    }
  });

  it('is used before the usual one, and that before none', () => {
    expect(installedEncoders(localModels(folder)).map(({ model }) => model)).toEqual([
      'multilingual-e5-small',
      'bge-small-en-v1.5',
      'all-MiniLM-L6-v2',
    ]);
    expect(installedEncoders(undefined)).toEqual([]);
  });
});
