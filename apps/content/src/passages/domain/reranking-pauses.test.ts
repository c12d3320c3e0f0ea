import { describe, expect, it } from '@jest/globals';
import { MAX_RERANKING_FAILURES, RERANKING_PAUSE_MS, rerankingPauses } from './reranking-pauses.ts';

describe('a reranker that fails', () => {
  it('is not asked for a while after several failures in a row, then by one search, and by all once it answers', () => {
    const pauses = rerankingPauses();
    const fail = (now: number) => pauses.failed('org_1', now);
    expect(Array.from({ length: MAX_RERANKING_FAILURES }, () => fail(1_000))).toEqual([false, false, true]);
    expect(pauses.mayAsk('org_1', 1_000 + RERANKING_PAUSE_MS - 1)).toBe(false);
    expect([
      pauses.mayAsk('org_1', 1_000 + RERANKING_PAUSE_MS),
      pauses.mayAsk('org_1', 1_000 + RERANKING_PAUSE_MS),
    ]).toEqual([true, false]);
    expect(fail(2_000 + RERANKING_PAUSE_MS)).toBe(true);
    expect(pauses.mayAsk('org_1', 1_999 + 2 * RERANKING_PAUSE_MS)).toBe(false);
    expect(pauses.mayAsk('org_1', 2_000 + 2 * RERANKING_PAUSE_MS)).toBe(true);
    pauses.succeeded('org_1');
    expect([pauses.mayAsk('org_1', 0), pauses.mayAsk('org_1', 0)]).toEqual([true, true]);
  });

  it('is asked on where it answers in between, and by other organisations', () => {
    const pauses = rerankingPauses();
    for (let round = 0; round < 3; round += 1) {
      expect([pauses.failed('org_1', 0), pauses.failed('org_1', 0)]).toEqual([false, false]);
      pauses.succeeded('org_1');
    }
    for (let failure = 0; failure < MAX_RERANKING_FAILURES; failure += 1) pauses.failed('org_1', 0);
    expect([pauses.mayAsk('org_1', 0), pauses.mayAsk('org_2', 0)]).toEqual([false, true]);
  });
});
