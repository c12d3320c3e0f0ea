import { describe, expect, it } from '@jest/globals';
import { median, medianRatios, orderOfRound, type Measurement } from './rounds.ts';

const measured = (cpu: number, perSecond = 1000, p99 = 10): Measurement => ({ cpu, perSecond, p99 });

describe('comparing interleaved rounds', () => {
  it('lets each side go first in turn', () => {
    expect([0, 1, 2, 3].map((round) => orderOfRound(round)[0])).toEqual([
      'baseline',
      'platform',
      'baseline',
      'platform',
    ]);
  });

  it('takes the middle of an odd number of values and the mean of the two middle ones otherwise', () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('compares within a round first, so that one slow round does not move the result', () => {
    const rounds = [
      { platform: measured(120), baseline: measured(100) },
      { platform: measured(600), baseline: measured(500) },
      { platform: measured(900), baseline: measured(100) },
    ];
    expect(medianRatios(rounds).cpu).toBeCloseTo(1.2);
  });

  it('says requests per second and p99 as ratios to the baseline too', () => {
    const { perSecond, p99 } = medianRatios([{ platform: measured(1, 800, 30), baseline: measured(1, 1000, 20) }]);
    expect(perSecond).toBeCloseTo(0.8);
    expect(p99).toBeCloseTo(1.5);
  });
});
