import { extractionFailures } from './extraction-failures.ts';
import { limits } from './limits.ts';

/** What a format yields, before it is cut and described. */
export interface DocumentText {
  readonly title?: string | undefined;
  readonly headings?: readonly string[];
  /** One where the format has no pages. */
  readonly pages: readonly string[];
  readonly hasPages: boolean;
  /** What a table says of itself, for its description. */
  readonly tables?: readonly TableOutline[];
}

export interface TableOutline {
  readonly name?: string;
  readonly columns: readonly string[];
  readonly rows: number;
}

/** Texts that come piece by piece and may not become longer than a document may be. */
export class TextPieces {
  readonly #pieces: string[] = [];
  #length = 0;

  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length > limits.textLength) throw extractionFailures.tooMuch(`${limits.textLength} characters`);
    this.#pieces.push(piece);
  }

  get length(): number {
    return this.#length;
  }

  toString(): string {
    return this.#pieces.join('');
  }
}
