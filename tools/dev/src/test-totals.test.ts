import { describe, expect, it } from '@jest/globals';
import { totalsLine } from './test-totals.ts';

describe('the last line of npm test', () => {
  it('counts what passed and failed', () => {
    expect(totalsLine({ passed: 12, failed: 1, skipped: 0 })).toBe('12 passed, 1 failed');
  });

  it('mentions tests that were left out', () => {
    expect(totalsLine({ passed: 12, failed: 0, skipped: 2 })).toBe('12 passed, 0 failed, 2 skipped');
  });
});
