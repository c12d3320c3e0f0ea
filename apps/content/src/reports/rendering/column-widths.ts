/** What a column's cells need, in points: its longest word, and its longest line. */
export interface ColumnNeed {
  readonly word: number;
  readonly line: number;
}

/**
 * How wide each column is, together as wide as the table. Every one is as wide as its longest word where there is room for that, and what is
 * left goes to those that have more to say than fits, by how much that is; where all fits, it is shared out by what they need.
 */
export function columnWidths(needs: readonly ColumnNeed[], whole: number): readonly number[] {
  const words = sumOf(needs, ({ word }) => word);
  const lines = sumOf(needs, ({ line }) => line);
  if (words >= whole) return broken(needs, whole);
  if (lines <= whole) return needs.map(({ line }) => (line / lines) * whole);
  const share = (whole - words) / (lines - words);
  return needs.map(({ word, line }) => word + (line - word) * share);
}

/** Words have to break somewhere, and do where they are widest: a column that needs less than its share has what it needs. */
function broken(needs: readonly ColumnNeed[], whole: number): readonly number[] {
  let [room, left] = [whole, needs.length];
  const widths = new Map<ColumnNeed, number>();
  for (const need of needs.toSorted((one, other) => one.word - other.word)) {
    const width = Math.min(need.word, room / left);
    widths.set(need, width);
    room -= width;
    left -= 1;
  }
  return needs.map((need) => widths.get(need) ?? 0);
}

const sumOf = (needs: readonly ColumnNeed[], of: (need: ColumnNeed) => number): number =>
  needs.reduce((sum, need) => sum + of(need), 0);
