import { describe, expect, it } from '@jest/globals';
import { describeDuration, describeTimeLeft, leftOutLines, msLeft } from '../jest/report-lines.mjs';

describe('how much of a test run is left', () => {
  const fresh = Array.from({ length: 4 }, () => ({ expectedMs: 1_000 }));

  it('is the time expected of the files that are not done, divided among all workers', () => {
    expect(msLeft(fresh, 2)).toBe(2_000);
  });

  it('is less by the time that running files have already taken', () => {
    expect(msLeft([{ expectedMs: 1_000, runningMs: 400 }, ...fresh], 1)).toBe(4_600);
    expect(msLeft([{ expectedMs: 1_000, runningMs: 9_000 }], 1)).toBe(0);
  });

  it('follows the pace of those that are done, once a few are', () => {
    const done = (tookMs: number, count: number) =>
      Array.from({ length: count }, () => ({ expectedMs: 1_000, tookMs }));
    expect(msLeft([...done(3_000, 4), ...fresh], 1)).toBe(4_000);
    expect(msLeft([...done(3_000, 5), ...fresh], 1)).toBe(12_000);
  });
});

describe('the words of a report', () => {
  it('give times as people say them', () => {
    expect([3_240, 45_000, 725_000].map(describeDuration)).toEqual(['3.2 s', '45 s', '12 min 5 s']);
    expect([1_000, 61_000, 240_000].map(describeTimeLeft)).toEqual([
      'about 5 s left',
      'about 60 s left',
      'about 4 min left',
    ]);
  });

  it('say each reason once, with all files that it concerns', () => {
    const leftOut = ['a.ts', 'b.ts', 'a.ts'].map((file) => ({ file, reason: 'ffmpeg is not installed' }));
    expect(leftOutLines(leftOut)).toEqual(['  ffmpeg is not installed (a.ts, b.ts)']);
  });
});
