import { describe, expect, it } from '@jest/globals';
import { disputedCredits } from './dispute.ts';

describe('credits of a payment that is disputed', () => {
  const credits = (takenMicros: bigint) => ({ boughtMicros: 1_000n, takenMicros });

  it('are those that the disputed part has bought', () => {
    expect(disputedCredits(credits(0n), 1_190n, 1_190n)).toBe(1_000n);
    expect(disputedCredits(credits(0n), 595n, 1_190n)).toBe(500n);
    expect(disputedCredits(credits(0n), 1n, 3n)).toBe(334n);
  });

  it('are not taken back once more where a refund has taken them', () => {
    expect(disputedCredits(credits(400n), 1_190n, 1_190n)).toBe(600n);
    expect(disputedCredits(credits(400n), 595n, 1_190n)).toBe(500n);
    expect(disputedCredits(credits(1_000n), 1_190n, 1_190n)).toBe(0n);
  });
});
