import { describe, expect, it } from '@jest/globals';
import { clockSkews } from './clock-skews.ts';

const MINUTE_MS = 60_000;

describe('the skew of a clock', () => {
  it('is that of the assertion which took least to arrive', () => {
    const skews = clockSkews(() => 0);
    for (const ahead of [-40, -8, -7, -31]) skews.seen('gateway', ahead);
    expect(skews.of('gateway')).toBe(-7);
  });

  it('is not known of whoever was not heard of lately', () => {
    let elapsedMs = 0;
    const skews = clockSkews(() => elapsedMs);
    expect(skews.of('gateway')).toBeUndefined();
    skews.seen('gateway', 3);
    elapsedMs = 6 * MINUTE_MS;
    skews.seen('billing', 0);
    expect([skews.of('gateway'), skews.of('billing')]).toEqual([3, 0]);
    elapsedMs = 24 * MINUTE_MS;
    expect([skews.of('gateway'), skews.of('billing')]).toEqual([undefined, undefined]);
  });

  it('is forgotten some minutes after a clock was put right', () => {
    let elapsedMs = 0;
    const skews = clockSkews(() => elapsedMs);
    for (; elapsedMs < 12 * MINUTE_MS; elapsedMs += MINUTE_MS) skews.seen('gateway', elapsedMs < MINUTE_MS ? 90 : 0);
    expect(skews.of('gateway')).toBe(0);
  });
});
