import { describe, expect, it } from '@jest/globals';
import { logLines } from './log-lines.ts';

describe('the lines of a text that comes in pieces', () => {
  const linesOf = (...pieces: string[]): string[] => {
    const lines: string[] = [];
    const log = logLines((line) => lines.push(line), 5);
    for (const piece of pieces) log.write(piece);
    log.end();
    return lines;
  };

  it('are whole wherever it was cut, and the last one needs no end', () => {
    expect(linesOf('a', 'b\nc\r\n', '\nd')).toEqual(['ab', 'c', '', 'd']);
    expect(linesOf('a\n')).toEqual(['a']);
    expect(linesOf()).toEqual([]);
  });

  it('have so many characters at most, also of one that never ends', () => {
    expect(linesOf('1234', '5678', '9\nab')).toEqual(['12345', 'ab']);
  });
});
