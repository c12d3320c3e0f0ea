import { describe, expect, it } from '@jest/globals';
import { MAX_LOG_LINE_LENGTH } from './limits.ts';
import { keptLine } from './log-line.ts';

describe('a line of a log', () => {
  it('is whole up to its longest, and beyond that says how much is missing', () => {
    expect(keptLine('x'.repeat(MAX_LOG_LINE_LENGTH))).toBe('x'.repeat(MAX_LOG_LINE_LENGTH));
    const cut = keptLine('x'.repeat(12_000_000));
    expect(cut.length).toBeLessThanOrEqual(MAX_LOG_LINE_LENGTH);
    const [kept = '', missing] = cut.split(' … ');
    expect(missing).toBe(`${String(12_000_000 - kept.length)} characters more are left out`);
    expect(keptLine(cut)).toBe(cut);
  });
});
