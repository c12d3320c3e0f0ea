import { expect, it } from '@jest/globals';
import type { Payer } from '../../credits/domain/credits.ts';
import { countTokens } from '../../passages/extraction/tokens.ts';
import { countingInPieces } from '../../passages/models/count-in-pieces.ts';
import { embeddingUseCases } from './embeddings.ts';

it('counts the tokens of long texts while others have their turn', async () => {
  const embeddings = {
    model: 'encoder',
    embed: (texts: readonly string[]) => Promise.resolve(texts.map(() => Float32Array.of(1))),
  };
  const app = embeddingUseCases({
    embeddings,
    countTexts: countingInPieces(countTokens),
    withCredits: (_by, work) => work(),
  });
  const by = { organisationId: 'any' } as Payer;
  const input = Array<string>(20).fill('Everybody has thirty days of holidays in a year. '.repeat(100));
  let [turns, isOver] = [0, false];
  const others = (): void => {
    turns += 1;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  const embedded = await app.embed(by, { model: 'encoder', input, dimensions: null }, new AbortController().signal);
  isOver = true;
  expect(turns).toBeGreaterThan(10);
  expect(embedded.tokens).toBeGreaterThan(20_000);
});
