import { unknownLetter, type DocumentFonts } from './typeface.ts';

/** Where a page is written on, in points from its upper left corner. The footer of the page is below. */
export const pageBounds = { left: 56, right: 539, bottom: 760 } as const;

const FOOTER_Y = 790;

type TextOptions = Omit<PDFKit.Mixins.TextOptions, 'features'>;

/** Pages of a document while it is written. `document` is PDFKit's, with the fonts `regular` and `bold`. */
export class PdfPages {
  readonly document: PDFKit.PDFDocument;
  /** How far above the line that letters stand on theirs begins, as a part of the size. */
  readonly ascent: number;
  readonly #printable: DocumentFonts['printable'];
  #hidesLetters = false;

  constructor(document: PDFKit.PDFDocument, { printable, ascent }: DocumentFonts) {
    this.document = document;
    this.ascent = ascent;
    this.#printable = printable;
  }

  /** The text as it can be shown, on one line. What has no letter is marked, and the footer says so. */
  printable(text: string): string {
    // To find where a word that is longer than a line breaks takes the square of its length.
    const printable = this.#printable(text).replaceAll(/\S{1000}/g, '$& ');
    if (printable.includes(unknownLetter)) this.#hidesLetters = true;
    return printable;
  }

  /** Writes what is printable, in the font that is set. */
  text(text: string, x: number, y: number, options: TextOptions): void {
    this.document.text(text, x, y, { ...options, features });
  }

  /** Goes on behind, or below, what was written last. */
  continue(text: string, options: TextOptions): void {
    this.document.text(text, { ...options, features });
  }

  heightOf(text: string, width: number): number {
    return this.document.heightOfString(text, { width, features });
  }

  /** Begins another page where this one has no room for so much; true where it has. */
  roomFor(height: number): boolean {
    if (this.document.y + height <= pageBounds.bottom || this.document.y <= pageBounds.left + 1) return false;
    this.document.addPage();
    this.document.y = pageBounds.left;
    return true;
  }

  /** A line from there to the right. */
  rule(x: number, y: number, color = 'black'): void {
    this.document.moveTo(x, y).lineTo(pageBounds.right, y).lineWidth(0.5).strokeColor(color).stroke();
  }

  /** Last, when it is known how many pages there are and whether everything could be shown. */
  writeFooters(write: (footer: PageFooter) => void, color = 'black'): void {
    const { start, count } = this.document.bufferedPageRange();
    for (let page = start; page < start + count; page += 1) {
      this.document.switchToPage(page);
      // Below the margin a text would begin another page.
      this.document.page.margins.bottom = 0;
      this.document.font('regular').fontSize(7).fillColor(color);
      if (this.#hidesLetters)
        this.text(ABOUT_HIDDEN_LETTERS, pageBounds.left, FOOTER_Y - 12, { width: pageBounds.right - pageBounds.left });
      write({ y: FOOTER_Y, page: page + 1, pages: count });
    }
  }
}

export interface PageFooter {
  readonly y: number;
  /** The first is 1. */
  readonly page: number;
  readonly pages: number;
}

/**
 * The typeface would take some letters apart into a letter and an accent. That looks the same, but a reader that
 * searches or copies the text would then find the letter without its accent. PDFKit hands this on as it is.
 */
const features = { ccmp: false } as unknown as PDFKit.Mixins.OpenTypeFeatures[];

const ABOUT_HIDDEN_LETTERS = `${unknownLetter} stands for a letter that this document cannot show.`;
