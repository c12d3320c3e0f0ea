/** A line of a table for a terminal: its first cells flush left, each with a width of its own, the others flush right. */
export const tableRow =
  ({ left, right }: { readonly left: readonly number[]; readonly right: number }) =>
  (cells: readonly (string | number)[]): string =>
    cells
      .map((cell, column) => {
        const width = left[column];
        return width === undefined ? String(cell).padStart(right) : String(cell).padEnd(width);
      })
      .join('');
