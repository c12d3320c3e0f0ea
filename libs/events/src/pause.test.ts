import { describe, expect, it } from '@jest/globals';
import { backoffMs, pause } from './pause.ts';

describe('waiting after failures', () => {
  it('doubles up to its limit, with a spread of a quarter', () => {
    for (const [failures, full] of [
      [1, 100],
      [2, 200],
      [5, 1_600],
      [50, 10_000],
    ] as const) {
      const wait = backoffMs(failures);
      expect(wait).toBeGreaterThanOrEqual(full * 0.75);
      expect(wait).toBeLessThanOrEqual(full);
    }
  });

  it('ends at once when it is called off, before or during', async () => {
    const calledOff = new AbortController();
    const waiting = pause(60_000, calledOff.signal);
    calledOff.abort();
    await waiting;
    await pause(60_000, calledOff.signal);
  });
});
