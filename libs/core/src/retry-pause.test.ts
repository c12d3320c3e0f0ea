import { describe, expect, it } from '@jest/globals';
import { nextRetryAt } from './retry-pause.ts';

describe('the next attempt at what did not come about', () => {
  const noon = new Date('2026-04-01T12:00:00.000Z');
  const after = (seconds: number): Date => new Date(noon.getTime() + seconds * 1_000);
  const pauseAfter = (seconds: number): number =>
    (nextRetryAt(noon, after(seconds), 300_000).getTime() - after(seconds).getTime()) / 1_000;

  it('is soon at first, then after as long as it has been tried, and never later than the longest pause', () => {
    expect([0, 4, 7, 60, 299, 301, 86_400].map(pauseAfter)).toEqual([5, 5, 7, 60, 299, 300, 300]);
  });

  it('is soon where the clock was set back', () => {
    expect(pauseAfter(-600)).toBe(5);
  });

  it('comes to some hundreds of attempts in an outage of thirty hours', () => {
    let attempts = 0;
    for (let at = noon; at < after(30 * 3_600); at = nextRetryAt(noon, at, 300_000)) attempts += 1;
    expect(attempts).toBe(366);
  });
});
