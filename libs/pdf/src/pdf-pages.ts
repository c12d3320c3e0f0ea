import { shareTables } from './shared-tables.ts';
import { unknownLetter, type DocumentFonts, type FallbackFont, type TextPiece } from './typeface.ts';

/** Where a page is written on, in points from its upper left corner. The footer of the page is below. */
export const pageBounds = { left: 56, right: 539, bottom: 760 } as const;

const FOOTER_Y = 790;

type TextOptions = Omit<PDFKit.Mixins.TextOptions, 'features'>;

/** What letters stand on: the size of most of them and how far it is to the next line, in points. */
export interface TextLine {
  readonly size: number;
  readonly height: number;
}

/** Those of the typeface, and that of code, which is a part of every reader of PDFs and has Western letters alone. */
export type FontName = 'regular' | 'bold' | 'Courier';

/** Pages of a document while it is written. `document` is PDFKit's; its font is set by `font` alone. */
export class PdfPages {
  readonly document: PDFKit.PDFDocument;
  /** How far above the line that letters stand on theirs begins, as a part of the size. */
  readonly ascent: number;
  readonly #fonts: DocumentFonts;
  readonly #registered = new Set<string>();
  #font: { readonly name: FontName; readonly size: number } = { name: 'regular', size: 10 };
  #hidesLetters = false;

  constructor(document: PDFKit.PDFDocument, fonts: DocumentFonts) {
    this.document = document;
    this.ascent = fonts.ascent;
    this.#fonts = fonts;
  }

  /** In which font and size, in points, is written from now on. */
  font(name: FontName, size: number): void {
    this.#font = { name, size };
    this.document.font(name).fontSize(size);
  }

  /** The text as it can be shown, on one line. What has no letter is marked, and the footer says so. */
  printable(text: string): string {
    // To find where a word that is longer than a line breaks takes the square of its length.
    const printable = this.#fonts.printable(text).replaceAll(/\S{1000}/g, '$& ');
    if (printable.includes(unknownLetter)) this.#hidesLetters = true;
    return printable;
  }

  /** Writes what is printable, in the font that is set. */
  text(text: string, x: number, y: number, options: TextOptions): void {
    const pieces = this.#fonts.pieces(text);
    if (pieces.every(({ font }) => font === undefined)) {
      this.document.text(text, x, y, { ...options, features });
      return;
    }
    const line = { size: this.#font.size, height: this.document.currentLineHeight(true) };
    // What has several fonts can be aligned as a whole line only.
    const { align, width = 0, ...others } = options;
    const free = align === 'right' || align === 'center' ? width - this.#widthOf(pieces) - 1 : 0;
    const shift = free > 0 ? (align === 'center' ? free / 2 : free) : 0;
    this.document.x = x + shift;
    this.document.y = y;
    this.#write(pieces, { ...others, width: width - shift }, line);
  }

  /** Goes on behind, or below, what was written last. */
  continue(text: string, options: TextOptions, line: TextLine): void {
    this.#write(this.#fonts.pieces(text), options, line);
  }

  heightOf(text: string, width: number): number {
    const isMixed = this.#fonts.pieces(text).some(({ font }) => font !== undefined);
    // Letters of other fonts may be somewhat wider than what stands for them in this one.
    return this.document.heightOfString(text, { width: isMixed ? width * 0.85 : width, features });
  }

  /** All letters stand on one line, whatever their fonts, and the lines one below the other evenly. */
  #write(pieces: readonly TextPiece[], options: TextOptions, { size, height }: TextLine): void {
    const { name } = this.#font;
    for (const [at, { text, font }] of pieces.entries()) {
      if (font) this.#setFallback(font);
      this.document.text(text, {
        ...{ ...options, features },
        baseline: -this.ascent * size,
        lineGap: height - this.document.currentLineHeight(true),
        continued: at < pieces.length - 1 || options.continued === true,
      });
      if (font) this.document.font(name);
    }
  }

  #widthOf(pieces: readonly TextPiece[]): number {
    let width = 0;
    for (const { text, font } of pieces) {
      if (font) this.#setFallback(font);
      width += this.document.widthOfString(text, { features });
      if (font) this.document.font(this.#font.name);
    }
    return width;
  }

  #setFallback({ name, file, family }: FallbackFont): void {
    if (this.#registered.has(name)) {
      this.document.font(name);
      return;
    }
    this.#registered.add(name);
    this.document.registerFont(name, file, family).font(name);
    shareTables(this.document, file);
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
      this.font('regular', 7);
      this.document.fillColor(color);
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
