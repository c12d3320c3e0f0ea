import { describe, expect, it } from '@jest/globals';
import { MAX_LOG_LINE_LENGTH } from '../../step-engine/domain/limits.ts';
import { logLines } from './log-lines.ts';

describe('the lines of a text that comes in pieces', () => {
  const linesOf = (...pieces: string[]): string[] => {
    const lines: string[] = [];
    const log = logLines((line) => lines.push(line));
    for (const piece of pieces) log.write(piece);
    log.end();
    return lines;
  };

  it('are whole wherever it was cut, and the last one needs no end', () => {
    expect(linesOf('a', 'b\nc\r\n', '\nd')).toEqual(['ab', 'c', '', 'd']);
    expect(linesOf('a\n')).toEqual(['a']);
    expect(linesOf()).toEqual([]);
  });

  it('have so many characters at most, also of one that never ends, and say what is missing', () => {
    const pieces = Array.from({ length: 100 }, () => 'x'.repeat(1_000));
    const [long = '', ...others] = linesOf(...pieces, 'end\nab');
    expect(long.length).toBeLessThanOrEqual(MAX_LOG_LINE_LENGTH);
    const [kept = '', notice] = long.split(' … ');
    expect([notice, others]).toEqual([`${String(100_003 - kept.length)} characters more are left out`, ['ab']]);
  });
});
