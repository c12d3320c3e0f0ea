import { describe, expect, it } from '@jest/globals';
import { canBeRepeated, withRepeated, type RunTotals } from './test-totals.ts';

const failing = { file: 'a.test.ts', passed: 2, failed: 1, skipped: 0 };
const run: RunTotals = { passed: 10, failed: 1, skipped: 3, failedFiles: [failing] };

describe('the totals of a run whose failed files were run once more', () => {
  it('count those files as they ended then', () => {
    const repeated = { passed: 3, failed: 0, skipped: 0, failedFiles: [] };
    expect(withRepeated(run, repeated)).toEqual({ passed: 11, failed: 0, skipped: 3, failedFiles: [] });
    const { file: _file, ...once } = failing;
    expect(withRepeated(run, { ...once, failedFiles: [failing] })).toEqual(run);
  });

  it('are asked for where a few files failed, and not where many did', () => {
    expect(canBeRepeated(run)).toBe(true);
    expect(canBeRepeated({ ...run, failedFiles: [] })).toBe(false);
    expect(canBeRepeated({ ...run, failedFiles: Array.from({ length: 6 }, () => failing) })).toBe(false);
  });
});
