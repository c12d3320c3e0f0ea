import { oneLine, shortened } from '../clean-text.ts';
import { TextPieces, type TableOutline } from '../document-text.ts';
import { extractionFailures } from '../extraction-failures.ts';
import { limits } from '../limits.ts';

/** Counts the cells of all tables of a document. */
export class CellBudget {
  #left = limits.cells;

  take(cells: number): void {
    this.#left -= cells;
    if (this.#left < 0) throw extractionFailures.tooMuch(`${limits.cells} cells`);
  }
}

/** How many rows may stand above a table's titles. */
const rowsBeforeTitles = 10;

/**
 * A table as text that can be cut anywhere: below a row of titles every row says them again, as in
 * `Region: North; Revenue: 42`. Without titles cells stand with tabs between them.
 */
export class TableText {
  readonly #text: TextPieces;
  readonly #budget: CellBudget;
  #titles: readonly string[] | undefined;
  #seen = 0;
  #rows = 0;

  constructor(text: TextPieces, budget: CellBudget) {
    this.#text = text;
    this.#budget = budget;
  }

  row(cells: readonly string[]): void {
    this.#budget.take(cells.length);
    const values = cells.map(oneLine);
    const filled = values.filter((value) => value !== '');
    if (filled.length === 0) return;
    this.#seen += 1;
    if (!this.#titles && filled.length > 1 && this.#seen <= rowsBeforeTitles) {
      // Only the first row of several cells can be the titles.
      this.#titles = areTitles(filled) ? values : [];
      this.#line(filled.join('\t'));
      if (this.#titles.length === 0) this.#rows += 1;
      return;
    }
    this.#rows += 1;
    const titles = this.#titles;
    if (titles && titles.length > 0 && filled.length > 1) this.#line(titled(titles, values));
    else this.#line(filled.join('\t'));
  }

  outline(name?: string): TableOutline {
    const columns = (this.#titles ?? []).filter((title) => title !== '');
    return { ...(name !== undefined && { name }), columns, rows: this.#rows };
  }

  #line(line: string): void {
    this.#text.add(`${line}\n`);
  }
}

const titled = (titles: readonly string[], values: readonly string[]): string =>
  values
    .map((value, index) => {
      const title = titles[index];
      return value === '' || title === undefined || title === '' ? value : `${shortened(title, 60)}: ${value}`;
    })
    .filter((cell) => cell !== '')
    .join('; ');

/** Words, and none twice. */
const areTitles = (cells: readonly string[]): boolean =>
  new Set(cells).size === cells.length && cells.every((cell) => /\p{L}/u.test(cell) && !/^[\d.,%+\-\s]+$/.test(cell));
