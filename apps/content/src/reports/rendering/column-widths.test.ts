import { describe, expect, it } from '@jest/globals';
import { columnWidths } from './column-widths.ts';

const sum = (widths: readonly number[]) => widths.reduce((one, other) => one + other, 0);

describe('the columns of a table on paper', () => {
  it('share all of its width, by what they need, where all of it fits', () => {
    const needs = [
      { word: 20, line: 20 },
      { word: 40, line: 60 },
    ];
    expect(columnWidths(needs, 400)).toEqual([100, 300]);
  });

  it('are never narrower than their longest word, while there is room for that', () => {
    const needs = [
      { word: 90, line: 90 },
      { word: 50, line: 2_000 },
      { word: 60, line: 61 },
    ];
    const widths = columnWidths(needs, 400);
    for (const [at, { word }] of needs.entries()) expect(widths[at]).toBeGreaterThanOrEqual(word);
    expect(sum(widths)).toBeCloseTo(400);
    expect(widths[1]).toBeGreaterThan(200);
  });

  it('break words where these are widest, where the words alone are too wide', () => {
    const need = (word: number) => ({ word, line: 2 * word });
    expect(columnWidths([need(300), need(600)], 300)).toEqual([150, 150]);
    expect(columnWidths([need(1_100), need(20), need(90), need(1_100)], 480)).toEqual([185, 20, 90, 185]);
    const widths = columnWidths(
      [...Array.from({ length: 6 }, () => need(1_000)), ...Array.from({ length: 6 }, () => need(20))],
      483,
    );
    expect(Math.min(...widths)).toBe(20);
    expect(sum(widths)).toBeCloseTo(483);
  });
});
