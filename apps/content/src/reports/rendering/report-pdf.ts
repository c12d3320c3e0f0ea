import {
  directionOf,
  pageBounds,
  pdfWriter,
  type Direction,
  type FontName,
  type PdfPages,
} from '@platform-backend/pdf';
import { parseDocument } from 'htmlparser2';
import { columnWidths, type ColumnNeed } from './column-widths.ts';
import { inlineRuns, isBlock, isElement, type Element, type Node, type InlineRun } from './report-elements.ts';
import { TICKED_BOX, EMPTY_BOX, withTitle, type ReportText } from './report-html.ts';
import { pictureOf, type Picture } from './report-picture.ts';

const { left, right, bottom } = pageBounds;
const gap = 7;

const headingSizes: Readonly<Record<string, number>> = { h1: 20, h2: 16, h3: 13.5, h4: 12, h5: 11, h6: 11 };
const bodySize = 10.5;
const black = '#1a1a1a';
const grey = '#555555';
const ruleColor = '#bbbbbb';

export type DatedReport = ReportText & { readonly updatedAt: Date };

/** A report on as many A4 pages as it needs. The same report is the same document, byte for byte. */
export function reportPdf(): (report: DatedReport) => Promise<Buffer> {
  const writePdf = pdfWriter();
  return (report) =>
    writePdf({ title: report.title, createdAt: report.updatedAt }, (pages) =>
      new ReportPages(pages).write(parseDocument(withTitle(report)).children as Node[]),
    );
}

/** Where blocks stand, and how. */
interface Layout {
  readonly x: number;
  readonly end: number;
  readonly color: string;
  /** That of what stands around: of what has no letters of its own. */
  readonly direction: Direction;
}

class ReportPages {
  readonly #pages: PdfPages;
  readonly #document: PdfPages['document'];

  constructor(pages: PdfPages) {
    this.#pages = pages;
    this.#document = pages.document;
  }

  write(nodes: readonly Node[]): void {
    this.#blocks(nodes, { x: left, end: right, color: black, direction: directionOf(textOf(nodes)) });
    this.#feet();
  }

  /** What stands in a line goes together; what is a block of its own stands alone. */
  #blocks(nodes: readonly Node[], layout: Layout): void {
    let line: Node[] = [];
    const endLine = (): void => {
      this.#paragraph(inlineRuns(line), layout);
      line = [];
    };
    for (const node of nodes) {
      if (isElement(node) && isBlock(node)) {
        endLine();
        this.#block(node, layout);
      } else line.push(node);
    }
    endLine();
  }

  #block(element: Element, layout: Layout): void {
    const { name, children } = element;
    if (name in headingSizes) this.#heading(inlineRuns(children), headingSizes[name] ?? bodySize, layout);
    else if (name === 'ul' || name === 'ol') this.#list(element, layout);
    else if (name === 'blockquote') this.#blocks(children, { ...indented(element, layout, 16), color: grey });
    else if (name === 'pre') this.#code(inlineRuns(children, true), layout);
    else if (name === 'table') this.#table(element, layout);
    else if (name === 'hr') this.#rule(layout);
    else if (name === 'img') this.#picture(element, layout);
    else this.#blocks(children, layout);
  }

  #heading(runs: readonly InlineRun[], size: number, { x, end, color, direction }: Layout): void {
    // A heading does not stand alone at the end of a page.
    this.#pages.roomFor(size * 2 + 30);
    if (this.#document.y > left + 1) this.#document.y += gap;
    const text = runs.map((run) => run.text).join('');
    this.#pages.font('bold', size);
    this.#pages.color(color);
    const shown = this.#pages.printable(text);
    this.#pages.text(shown, x, this.#document.y, { width: end - x, direction: directionOf(shown, direction) });
    this.#document.y += gap / 2;
  }

  #paragraph(runs: readonly InlineRun[], { x, end, color, direction }: Layout): void {
    if (runs.length === 0) return;
    this.#pages.roomFor(bodySize * 1.5);
    const parts = runs.map(({ text, bold, italic, code, struck, link }) => {
      const shown = this.#lines(text);
      const font = fontOf(shown, { bold, code });
      const size = code ? bodySize - 1 : bodySize;
      const linked = link === undefined ? { color } : { color: '#1a4fa0', underline: true, link };
      return { text: shown, style: { font, size, oblique: italic, strike: struck, ...linked } };
    });
    const text = parts.map((part) => part.text).join('');
    this.#pages.paragraph(parts, x, { width: end - x, direction: directionOf(text, direction) });
    this.#document.y += gap;
  }

  #list(list: Element, around: Layout): void {
    const { name, attribs, children } = list;
    let number = Number.parseInt(attribs['start'] ?? '1', 10) || 1;
    const layout = indented(list, around, 20);
    const { x, end, direction, color } = layout;
    const isTurned = direction === 'rtl';
    for (const item of children.filter(isElement)) {
      this.#pages.roomFor(bodySize * 1.5);
      const { y } = this.#document;
      const page = this.#document.bufferedPageRange().count;
      const [task, content] = taskOf(item.children);
      const mark = name === 'ol' ? `${number}.` : '•';
      this.#pages.font('regular', bodySize);
      this.#pages.color(color);
      const markOptions = { width: 17, align: isTurned ? 'left' : 'right', lineBreak: false, direction } as const;
      if (task === undefined) this.#pages.text(mark, isTurned ? end + 3 : x - 20, y, markOptions);
      else this.#box(isTurned ? end + 4 : x - 12, y + 2, { ticked: task === TICKED_BOX, color });
      if (this.#document.bufferedPageRange().count === page) this.#document.y = y;
      this.#blocks(content, layout);
      // One without text takes its line as well.
      if (this.#document.y === y) this.#document.y += bodySize * 1.5;
      this.#document.y -= gap / 2;
      number += 1;
    }
    this.#document.y += gap / 2;
  }

  /** The typeface has no ticked box. */
  #box(x: number, y: number, { ticked, color }: { readonly ticked: boolean; readonly color: string }): void {
    const side = 8;
    this.#document.lineWidth(0.8).strokeColor(color).rect(x, y, side, side).stroke();
    if (!ticked) return;
    this.#document
      .moveTo(x + 1.5, y + 4)
      .lineTo(x + 3.5, y + 6)
      .lineTo(x + 6.5, y + 2)
      .stroke();
  }

  #code(runs: readonly InlineRun[], { x, end }: Layout): void {
    const text = this.#lines(runs.map((run) => run.text).join('')).replace(/\n$/, '');
    if (text === '') return;
    this.#pages.roomFor(bodySize * 2);
    this.#pages.font(fontOf(text, { bold: false, code: true }), bodySize - 1);
    this.#pages.color(grey);
    this.#pages.text(text, x + 8, this.#document.y, { width: end - x - 8, direction: 'ltr' });
    this.#document.y += gap;
  }

  #rule({ x, end }: Layout): void {
    this.#pages.roomFor(2 * gap);
    const y = this.#document.y + gap / 2;
    this.#pages.rule(x, y, ruleColor, end);
    this.#document.y = y + gap;
  }

  #picture({ attribs }: Element, layout: Layout): void {
    const alternative = attribs['alt'] ?? '';
    const picture = pictureOf(attribs['src'] ?? '');
    if (!picture || !this.#drawn(picture, layout)) {
      this.#paragraph(inlineRuns([{ type: 'text', data: `[${alternative || 'picture'}]` }]), layout);
    }
  }

  /** False where it cannot be read after all. */
  #drawn(picture: Picture, layout: Layout): boolean {
    const scale = Math.min(0.75, (layout.end - layout.x) / picture.width, (bottom - left) / picture.height);
    const [width, height] = [picture.width * scale, picture.height * scale];
    this.#pages.roomFor(height);
    try {
      const x = layout.direction === 'rtl' ? layout.end - width : layout.x;
      this.#document.image(picture.bytes, x, this.#document.y, { width, height });
    } catch {
      return false;
    }
    this.#document.y += height + gap;
    return true;
  }

  #table(table: Element, { x, end, color, ...around }: Layout): void {
    const direction = directionOf(textOf(table.children), around.direction);
    const rows = rowsOf(table).map((cells) =>
      cells.map(({ children, attribs }): Cell => {
        const runs = inlineRuns(children);
        const text = this.#pages.printable(runs.map((run) => run.text).join(''));
        return { text, direction: directionOf(text, direction), ...alignmentOf(attribs['align']) };
      }),
    );
    const columns = Math.max(0, ...rows.map((cells) => cells.length));
    if (columns === 0) return;
    const font = (row: number): void => {
      this.#pages.font(row === 0 ? 'bold' : 'regular', bodySize - 1.5);
      this.#pages.color(color);
    };
    const widths = columnWidths(this.#columnNeeds(rows, columns, font), end - x);
    rows.forEach((cells, row) => {
      font(row);
      const heights = cells.map(({ text }, column) => this.#pages.heightOf(text, (widths[column] ?? 40) - 8));
      const height = Math.max(12, ...heights);
      if (columns > 12 || height > bottom - left) {
        // Too much for one row: its cells stand below each other.
        for (const cell of cells)
          this.#pages.text(cell.text, x, this.#document.y, { width: end - x, direction: cell.direction });
        return;
      }
      this.#pages.roomFor(height + 8);
      const { y } = this.#document;
      let before = 0;
      cells.forEach(({ text, ...options }, column) => {
        const width = widths[column] ?? 40;
        const at = direction === 'rtl' ? end - before - width : x + before;
        this.#pages.text(text, at + 4, y + 3, { width: width - 8, ...options });
        before += width;
      });
      const below = y + height + 6;
      this.#pages.rule(x, below, ruleColor, end);
      this.#document.y = below + 1;
    });
    this.#document.y += gap;
  }

  /** By the first rows: those of a long table are much alike. */
  #columnNeeds(rows: readonly (readonly Cell[])[], columns: number, font: (row: number) => void): ColumnNeed[] {
    const needs = Array.from({ length: columns }, () => ({ word: 20, line: 20 }));
    for (const [row, cells] of rows.slice(0, 200).entries()) {
      font(row);
      for (const [column, { text }] of cells.slice(0, 12).entries()) {
        const need = needs[column];
        if (!need) continue;
        const short = text.slice(0, MAX_MEASURED);
        need.line = Math.max(need.line, this.#pages.widthOf(short) + 10);
        for (const word of short.split(' ')) need.word = Math.max(need.word, this.#pages.widthOf(word) + 10);
      }
    }
    return needs;
  }

  #feet(): void {
    const options = { width: right - left, align: 'right' } as const;
    this.#pages.writeFooters(({ y, page, pages }) => this.#pages.text(`${page} of ${pages}`, left, y, options), grey);
  }

  #lines(text: string): string {
    return text
      .split('\n')
      .map((line) => this.#pages.printable(line))
      .join('\n');
  }
}

/** What is in a list or a quote has at least so much room, however deep it stands. */
const narrowest = 239;

/** Further in, on the side where its lines begin. */
function indented({ children }: Element, layout: Layout, by: number): Layout {
  const direction = directionOf(textOf(children), layout.direction);
  const step = Math.max(0, Math.min(by, layout.end - layout.x - narrowest));
  return direction === 'rtl'
    ? { ...layout, direction, end: layout.end - step }
    : { ...layout, direction, x: layout.x + step };
}

/** The beginning of what stands in these, which has its first letter in it. */
function textOf(nodes: readonly Node[]): string {
  for (const node of nodes) {
    const text = isElement(node) ? textOf(node.children) : node.data;
    if (/\p{L}/u.test(text)) return text;
  }
  return '';
}

function fontOf(text: string, { bold, code }: Pick<InlineRun, 'bold' | 'code'>): FontName {
  const isTyped = code && /^[\n\u0020-\u007e\u00a0-\u00ff]*$/.test(text);
  return isTyped ? 'Courier' : bold ? 'bold' : 'regular';
}

interface Cell {
  readonly text: string;
  readonly direction: Direction;
  readonly align?: 'left' | 'center' | 'right';
}

const rowsOf = (element: Element): Element[][] =>
  element.children
    .filter(isElement)
    .flatMap((child) => (child.name === 'tr' ? [child.children.filter(isElement)] : rowsOf(child)));

/** Letters of a cell that are measured; further ones make it longer and no wider. */
const MAX_MEASURED = 200;

/** Without one, lines begin where their direction says. */
const alignmentOf = (align: string | undefined): Pick<Cell, 'align'> =>
  align === 'left' || align === 'center' || align === 'right' ? { align } : {};

/** The mark of a task and what it says, in an item of a list of tasks. */
function taskOf(children: readonly Node[]): readonly [mark: string | undefined, content: readonly Node[]] {
  const [first, ...others] = children;
  if (!first) return [undefined, children];
  if (isElement(first)) {
    const [mark, content] = taskOf(first.children);
    return mark === undefined ? [undefined, children] : [mark, [{ ...first, children: content }, ...others]];
  }
  const mark = [TICKED_BOX, EMPTY_BOX].find((one) => first.data.trimStart().startsWith(one));
  if (mark === undefined) return [undefined, children];
  return [mark, [{ ...first, data: first.data.trimStart().slice(mark.length) }, ...others]];
}
