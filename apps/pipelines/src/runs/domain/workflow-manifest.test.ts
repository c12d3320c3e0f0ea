import { describe, expect, it } from '@jest/globals';
import { retryPauseSeconds, type RetryPolicy } from '../../steps/domain/retry-policy.ts';
import { retryStrategyOf } from './workflow-manifest.ts';

const SECOND = 1_000_000_000n;
const seconds = (text: string | undefined): bigint => BigInt((text ?? '').replace(/s$/, ''));

/** As Argo's controller reckons, in nanoseconds of 64 bits that wrap around. */
function argoPauses(policy: RetryPolicy): number[] {
  const { limit, backoff } = retryStrategyOf(policy);
  return Array.from({ length: Number(limit) }, (_, retries) => {
    const pause = BigInt.asIntN(64, seconds(backoff.duration) * SECOND * BigInt(backoff.factor) ** BigInt(retries));
    const cap = seconds(backoff.cap) * SECOND;
    return Number((pause > cap ? cap : pause) / SECOND);
  });
}

const policy = (initial: number, coefficient: number, maximum: number, attempts = 10): RetryPolicy => ({
  maximumAttempts: attempts,
  initialIntervalSeconds: initial,
  backoffCoefficient: coefficient,
  maximumIntervalSeconds: maximum,
  nonRetryableErrorTypes: [],
});

describe('the pauses of a step on Argo', () => {
  it.each([
    [10, 2, 600],
    [1, 9, 3600],
    [3600, 10, 600],
    [1000, 10, 3600],
    [3600, 1, 3600],
  ])('are those of its policy: from %i seconds, times %i, up to %i', (...numbers) => {
    const wanted = Array.from({ length: 9 }, (_, failures) =>
      retryPauseSeconds(policy(...numbers), failures + 1, 'failed'),
    );
    expect(argoPauses(policy(...numbers)).slice(0, 9)).toEqual(wanted);
  });

  it('grow to the longest one and never wrap around, whatever the policy is', () => {
    for (const initial of [1, 7, 60, 200, 359, 360, 361, 1799, 3600])
      for (let coefficient = 1; coefficient <= 10; coefficient += 1)
        for (const maximum of [1, 600, 3599, 3600])
          for (const attempts of [1, 2, 10]) {
            const pauses = argoPauses(policy(initial, coefficient, maximum, attempts));
            expect(pauses.filter((pause, index) => pause < (pauses[index - 1] ?? Math.min(initial, maximum)))).toEqual(
              [],
            );
            expect(pauses.at(-1)).toBe(Math.min(maximum, initial * coefficient ** (pauses.length - 1)));
          }
  });
});
