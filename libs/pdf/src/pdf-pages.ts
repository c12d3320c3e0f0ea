import { shareTables } from './shared-tables.ts';
import { directionOf, isTurned, turnedLines, type Direction, type StyledText, type TurnedLine } from './turned-text.ts';
import { unknownLetter, type DocumentFonts, type FallbackFont, type TextPiece } from './typeface.ts';

/** Where a page is written on, in points from its upper left corner. The footer of the page is below. */
export const pageBounds = { left: 56, right: 539, bottom: 760 } as const;

const FOOTER_Y = 790;

type TextOptions = Omit<PDFKit.Mixins.TextOptions, 'features'>;

/** What letters stand on: the size of most of them and how far it is to the next line, in points. */
interface TextLine {
  readonly size: number;
  readonly height: number;
}

/** Those of the typeface, and that of code, which is a part of every reader of PDFs and has Western letters alone. */
export type FontName = 'regular' | 'bold' | 'Courier';

export interface LetterStyle {
  readonly font: FontName;
  /** In points. */
  readonly size: number;
  readonly color: string;
  readonly oblique?: boolean;
  readonly strike?: boolean;
  readonly underline?: boolean;
  readonly link?: string;
}

/** Where text stands: between `x` and `width` points to the right of it. */
export interface TextBox {
  readonly width: number;
  /** Where its lines begin; without it as its first letter says. */
  readonly direction?: Direction;
  /** Without it where lines begin. */
  readonly align?: 'left' | 'center' | 'right';
}

interface LineOptions extends TextBox {
  /** How high it is at most; what is left out ends with dots then. */
  readonly height?: number;
  readonly ellipsis?: boolean;
  /** False where it stands on one line, however long. */
  readonly lineBreak?: boolean;
}

/** Pages of a document while it is written. `document` is PDFKit's; its font and color are set by `font` and `color` alone. */
export class PdfPages {
  readonly document: PDFKit.PDFDocument;
  /** How far above the line that letters stand on theirs begins, as a part of the size. */
  readonly #ascent: number;
  readonly #fonts: DocumentFonts;
  readonly #registered = new Set<string>();
  #font: { readonly name: FontName; readonly size: number } = { name: 'regular', size: 10 };
  #color = 'black';
  #hidesLetters = false;

  constructor(document: PDFKit.PDFDocument, fonts: DocumentFonts) {
    this.document = document;
    this.#ascent = fonts.ascent;
    this.#fonts = fonts;
  }

  /** In which font and size, in points, is written from now on. */
  font(name: FontName, size: number): void {
    this.#font = { name, size };
    this.document.font(name).fontSize(size);
  }

  /** In which color is written from now on. */
  color(color: string): void {
    this.#color = color;
    this.document.fillColor(color);
  }

  /** The text as it can be shown, on one line. What has no letter is marked, and the footer says so. */
  printable(text: string): string {
    // To find where a word that is longer than a line breaks takes the square of its length.
    const printable = this.#fonts.printable(text).replaceAll(/\S{1000}/g, '$& ');
    if (printable.includes(unknownLetter)) this.#hidesLetters = true;
    return printable;
  }

  /** Writes what is printable, in the font that is set. */
  text(text: string, x: number, y: number, { direction = directionOf(text), ...given }: LineOptions): void {
    if (direction === 'rtl' || isTurned(text)) {
      const box = { ...given, direction };
      this.document.y = y;
      this.#writeTurned(this.#turned(text, box), x, box, this.#line());
      return;
    }
    const pieces = this.#fonts.pieces(text);
    if (pieces.every(({ font }) => font === undefined)) {
      this.document.text(text, x, y, { ...given, features: features() });
      return;
    }
    const line = this.#line();
    // What has several fonts can be aligned as a whole line only.
    const { align, width, ...others } = given;
    const shift = freeBefore(align ?? 'left', width - this.#widthOf(pieces) - 1);
    this.document.x = x + shift;
    this.document.y = y;
    this.#write(pieces, { ...others, width: width - shift }, line);
  }

  /** Writes what is printable below what was written last, each part in its style, on even lines. */
  paragraph(parts: readonly StyledText<LetterStyle>[], x: number, box: TextBox): void {
    const [first] = parts;
    if (!first) return;
    this.font('regular', Math.max(...parts.map(({ style }) => style.size)));
    const line = this.#line();
    const text = parts.map((part) => part.text).join('');
    const { direction = directionOf(text), ...given } = box;
    if (direction === 'rtl' || isTurned(text)) {
      const turned = { ...given, direction };
      this.#writeTurned(this.#turnedLines(parts, turned), x, turned, line);
      return;
    }
    this.document.x = x;
    for (const [at, part] of parts.entries()) {
      const { font, size, color, oblique = false, strike = false, underline = false, link = null } = part.style;
      this.font(font, size);
      this.color(color);
      const style = { oblique, strike, underline, link };
      const options = { width: box.width, continued: at < parts.length - 1, ...style };
      this.#write(this.#fonts.pieces(part.text), options, line);
    }
  }

  heightOf(text: string, width: number): number {
    if (isTurned(text)) return this.#turned(text, { width, direction: directionOf(text) }).length * this.#line().height;
    const isMixed = this.#fonts.pieces(text).some(({ font }) => font !== undefined);
    // Letters of other fonts may be somewhat wider than what stands for them in this one.
    return this.document.heightOfString(text, { width: isMixed ? width * 0.85 : width, features: features() });
  }

  /** In the font that is set, on one line. */
  widthOf(text: string): number {
    const pieces = this.#fonts.pieces(text);
    return pieces.some(({ font }) => font) ? this.#widthOf(pieces) : this.document.widthOfString(text);
  }

  #line(): TextLine {
    return { size: this.#font.size, height: this.document.currentLineHeight(true) };
  }

  #turned(text: string, options: Directed<LineOptions>): readonly TurnedLine<PieceStyle>[] {
    const { width, direction, height = Infinity, ellipsis = false, lineBreak = true } = options;
    const style = { font: this.#font.name, size: this.#font.size, color: this.#color };
    const linesOf = (shown: string) =>
      this.#turnedLines([{ text: shown, style }], { width: lineBreak ? width : Infinity, direction });
    const maxLines = Math.max(1, Math.floor(height / this.#line().height));
    const lines = linesOf(text);
    if (lines.length <= maxLines) return lines;
    const words = text.split(' ');
    const beginning = (count: number) => linesOf(`${words.slice(0, count).join(' ')}${ellipsis ? '…' : ''}`);
    // How many words fit lies between these.
    let [fits, tooMany] = [1, words.length];
    while (tooMany - fits > 1) {
      const middle = Math.floor((fits + tooMany) / 2);
      if (beginning(middle).length <= maxLines) fits = middle;
      else tooMany = middle;
    }
    return beginning(fits).slice(0, maxLines);
  }

  #turnedLines(
    parts: readonly StyledText<LetterStyle>[],
    { width, direction }: Directed<TextBox>,
  ): readonly TurnedLine<PieceStyle>[] {
    const ofOneFont = parts.flatMap(({ text, style }) =>
      this.#fonts.pieces(text).map(({ text: piece, font: fallback }) => ({
        text: piece,
        style: { ...style, ...(fallback && { fallback }) },
      })),
    );
    const measure = (text: string, style: PieceStyle): number => {
      this.#setStyle(style);
      return this.document.widthOfString(text, { features: features() });
    };
    const { name, size } = this.#font;
    const lines = turnedLines(ofOneFont, { width, direction, measure });
    this.font(name, size);
    return lines;
  }

  #writeTurned(lines: readonly TurnedLine<PieceStyle>[], x: number, box: Directed<TextBox>, line: TextLine): void {
    const { name, size } = this.#font;
    const [color, align] = [this.#color, box.align ?? (box.direction === 'ltr' ? 'left' : 'right')];
    for (const { pieces, width } of lines) {
      if (this.document.y + line.height > this.document.page.maxY()) this.#nextPage();
      const { y } = this.document;
      let at = x + freeBefore(align, box.width - width);
      for (const piece of pieces) {
        this.#writePiece(piece, at, y, line);
        at += piece.width;
      }
      this.document.y = y + line.height;
    }
    this.document.x = x;
    this.color(color);
    this.font(name, size);
  }

  #writePiece(
    { text, style, width }: TurnedLine<PieceStyle>['pieces'][number],
    x: number,
    y: number,
    line: TextLine,
  ): void {
    const { oblique = false, strike = false, underline = false, link } = style;
    this.color(style.color);
    this.#setStyle(style);
    // PDFKit finds out the width for lines and links only where it breaks lines itself.
    const known = { textWidth: width, wordCount: 1 };
    const options = {
      ...known,
      oblique,
      strike,
      underline,
      link: link ?? null,
      lineBreak: false,
      features: features(),
    };
    this.document.text(text, x, y, { ...options, baseline: -this.#ascent * line.size });
  }

  #setStyle({ font, size, fallback }: PieceStyle): void {
    this.font(font, size);
    if (fallback) this.#setFallback(fallback);
  }

  /** All letters stand on one line, whatever their fonts, and the lines one below the other evenly. */
  #write(pieces: readonly TextPiece[], options: TextOptions, { size, height }: TextLine): void {
    const { name } = this.#font;
    for (const [at, { text, font }] of pieces.entries()) {
      if (font) this.#setFallback(font);
      this.document.text(text, {
        ...{ ...options, features: features() },
        baseline: -this.#ascent * size,
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
      width += this.document.widthOfString(text, { features: features() });
      if (font) this.document.font(this.#font.name);
    }
    return width;
  }

  #setFallback({ name: family, file: regular, bold, family: member }: FallbackFont): void {
    const isBold = this.#font.name === 'bold' && bold !== undefined;
    const [name, file] = isBold ? [`${family} bold`, bold] : [family, regular];
    if (this.#registered.has(name)) {
      this.document.font(name);
      return;
    }
    this.#registered.add(name);
    this.document.registerFont(name, file, member).font(name);
    shareTables(this.document, file);
  }

  /** Begins another page where this one has no room for so much; true where it has. */
  roomFor(height: number): boolean {
    if (this.document.y + height <= pageBounds.bottom || this.document.y <= pageBounds.left + 1) return false;
    this.#nextPage();
    return true;
  }

  #nextPage(): void {
    this.document.addPage();
    this.document.y = pageBounds.left;
    // Another page begins in black.
    this.document.fillColor(this.#color);
  }

  /** A line from there to the right. */
  rule(x: number, y: number, color = 'black', end: number = pageBounds.right): void {
    this.document.moveTo(x, y).lineTo(end, y).lineWidth(0.5).strokeColor(color).stroke();
  }

  /** Last, when it is known how many pages there are and whether everything could be shown. */
  writeFooters(write: (footer: PageFooter) => void, color = 'black'): void {
    const { start, count } = this.document.bufferedPageRange();
    for (let page = start; page < start + count; page += 1) {
      this.document.switchToPage(page);
      // Below the margin a text would begin another page.
      this.document.page.margins.bottom = 0;
      this.font('regular', 7);
      this.color(color);
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

type Directed<Box extends TextBox> = Box & { readonly direction: Direction };

type PieceStyle = LetterStyle & { readonly fallback?: FallbackFont };

/** How far to the right of its box a line begins. */
const freeBefore = (align: 'left' | 'center' | 'right', free: number): number =>
  align === 'left' ? 0 : Math.max(0, align === 'center' ? free / 2 : free);

/**
 * The typeface would take some letters apart into a letter and an accent. That looks the same, but a reader that
 * searches or copies the text would then find the letter without its accent. PDFKit hands this on as it is, to an engine
 * that writes into it what else it does for the script.
 */
const features = (): PDFKit.Mixins.OpenTypeFeatures[] =>
  ({ ccmp: false }) as unknown as PDFKit.Mixins.OpenTypeFeatures[];

const ABOUT_HIDDEN_LETTERS = `${unknownLetter} stands for a letter that this document cannot show.`;
