import { describe, expect, it } from '@jest/globals';
import { sumOf } from '../jest/report-lines.mjs';
import { filesToRepeat, withRepeated } from './test-totals.ts';

const failing = { file: 'a.test.ts', passed: 2, failed: 1, skipped: 0 };
const run = [failing, { file: 'b.test.ts', passed: 8, failed: 0, skipped: 3 }];

describe('the totals of a run whose failed files were run once more', () => {
  it('count each of those files as its repetition ended', () => {
    expect(sumOf(withRepeated(run, [{ ...failing, passed: 3, failed: 0 }]))).toEqual({
      passed: 11,
      failed: 0,
      skipped: 3,
    });
    expect(sumOf(withRepeated(run, [failing]))).toEqual({ passed: 10, failed: 1, skipped: 3 });
  });

  it('come from a repetition where a few files failed, and from none where many did', () => {
    expect(filesToRepeat(run)).toEqual(['a.test.ts']);
    expect(filesToRepeat(run.slice(1))).toEqual([]);
    expect(filesToRepeat(Array.from({ length: 6 }, (_, at) => ({ ...failing, file: `${at}.test.ts` })))).toEqual([]);
  });
});
