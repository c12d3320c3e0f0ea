import { describe, expect, it } from '@jest/globals';
import type { Embeddings } from '../domain/embeddings.ts';
import type { PassageFinder } from '../domain/passage-finder.ts';
import { preparingVectorIndex } from './prepare-vector-index.ts';

const ours = { organisationId: 'org_1' };

const logger = { warn: () => undefined };
const encoder: Embeddings = {
  model: 'bees',
  similarityThreshold: 0.4,
  embed: (texts) => Promise.resolve(texts.map(() => Float32Array.of(1, 0))),
};

describe('embeddings that have their index made', () => {
  it('are those of the encoder, with all that is known of it', async () => {
    const finder: Pick<PassageFinder, 'prepareVectors'> = { prepareVectors: () => Promise.resolve() };
    const embeddings = preparingVectorIndex(encoder, finder, logger);
    expect(embeddings).toEqual({ ...encoder, embed: expect.any(Function) });
    expect(await embeddings.embed(['a', 'b'], ours)).toEqual(await encoder.embed(['a', 'b'], ours));
  });

  it('have it made once for each length, and again where that has failed', async () => {
    const asked: number[] = [];
    let isUnavailable = true;
    const prepareVectors = (dimensions: number): Promise<void> => {
      asked.push(dimensions);
      return isUnavailable ? Promise.reject(new Error('away')) : Promise.resolve();
    };
    const embeddings = preparingVectorIndex(encoder, { prepareVectors }, logger);
    await embeddings.embed(['a'], ours);
    isUnavailable = false;
    for (let time = 0; time < 3; time += 1) await embeddings.embed(['a'], ours);
    expect(asked).toEqual([2, 2]);
  });
});
