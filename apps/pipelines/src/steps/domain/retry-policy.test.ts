import { describe, expect, it } from '@jest/globals';
import { allPausesSeconds, retryPauseSeconds, type RetryPolicy } from './retry-policy.ts';

const policy: RetryPolicy = {
  ...{ maximumAttempts: 5, initialIntervalSeconds: 10, backoffCoefficient: 3, maximumIntervalSeconds: 60 },
  nonRetryableErrorTypes: ['check_failed'],
};

describe('a retry policy', () => {
  it('has pauses that grow up to the longest, and an end', () => {
    expect([1, 2, 3, 4, 5].map((failures) => retryPauseSeconds(policy, failures, 'timed_out'))).toEqual([
      ...[10, 30, 60, 60],
      undefined,
    ]);
    expect(allPausesSeconds(policy)).toBe(160);
  });

  it('lets a failure be final that it names, and any where there is none', () => {
    expect(retryPauseSeconds(policy, 1, 'check_failed')).toBeUndefined();
    expect(retryPauseSeconds(null, 1, 'timed_out')).toBeUndefined();
    expect(allPausesSeconds(null)).toBe(0);
  });
});
