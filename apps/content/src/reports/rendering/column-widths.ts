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
  // Words have to break somewhere: in the widest ones most.
  if (words >= whole) return needs.map(({ word }) => (word / words) * whole);
  if (lines <= whole) return needs.map(({ line }) => (line / lines) * whole);
  const share = (whole - words) / (lines - words);
  return needs.map(({ word, line }) => word + (line - word) * share);
}

const sumOf = (needs: readonly ColumnNeed[], of: (need: ColumnNeed) => number): number =>
  needs.reduce((sum, need) => sum + of(need), 0);
