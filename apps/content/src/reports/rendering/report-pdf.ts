import { pageBounds, pdfWriter, type PdfPages } from '@platform-backend/pdf';
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
  readonly color: string;
}

class ReportPages {
  readonly #pages: PdfPages;
  readonly #document: PdfPages['document'];

  constructor(pages: PdfPages) {
    this.#pages = pages;
    this.#document = pages.document;
  }

  write(nodes: readonly Node[]): void {
    this.#blocks(nodes, { x: left, color: black });
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
    else if (name === 'blockquote') this.#blocks(children, { x: Math.min(layout.x + 16, middle), color: grey });
    else if (name === 'pre') this.#code(inlineRuns(children, true), layout);
    else if (name === 'table') this.#table(element, layout);
    else if (name === 'hr') this.#rule(layout);
    else if (name === 'img') this.#picture(element, layout);
    else this.#blocks(children, layout);
  }

  #heading(runs: readonly InlineRun[], size: number, { x, color }: Layout): void {
    // A heading does not stand alone at the end of a page.
    this.#pages.roomFor(size * 2 + 30);
    if (this.#document.y > left + 1) this.#document.y += gap;
    const text = runs.map((run) => run.text).join('');
    this.#pages.font('bold', size);
    this.#document.fillColor(color);
    this.#pages.text(this.#pages.printable(text), x, this.#document.y, { width: right - x });
    this.#document.y += gap / 2;
  }

  #paragraph(runs: readonly InlineRun[], { x, color }: Layout): void {
    const last = runs.length - 1;
    if (last < 0) return;
    this.#pages.roomFor(bodySize * 1.5);
    this.#document.x = x;
    this.#pages.font('regular', bodySize);
    const line = { size: bodySize, height: this.#document.currentLineHeight(true) };
    runs.forEach(({ text, bold, italic, code, struck, link }, index) => {
      const shown = this.#lines(text);
      this.#font(shown, { bold, code });
      this.#document.fillColor(link === undefined ? color : '#1a4fa0');
      const style = { oblique: italic, strike: struck, link: link ?? null, underline: link !== undefined };
      this.#pages.continue(shown, { width: right - x, continued: index < last, ...style }, line);
    });
    this.#document.y += gap;
  }

  #font(text: string, { bold, code }: Pick<InlineRun, 'bold' | 'code'>): void {
    const isTyped = code && /^[\n\u0020-\u007e\u00a0-\u00ff]*$/.test(text);
    this.#pages.font(isTyped ? 'Courier' : bold ? 'bold' : 'regular', code ? bodySize - 1 : bodySize);
  }

  #list({ name, attribs, children }: Element, layout: Layout): void {
    let number = Number.parseInt(attribs['start'] ?? '1', 10) || 1;
    const x = Math.min(layout.x + 20, middle);
    for (const item of children.filter(isElement)) {
      this.#pages.roomFor(bodySize * 1.5);
      const { y } = this.#document;
      const page = this.#document.bufferedPageRange().count;
      const [task, content] = taskOf(item.children);
      const mark = name === 'ol' ? `${number}.` : '•';
      this.#pages.font('regular', bodySize);
      this.#document.fillColor(layout.color);
      if (task === undefined) this.#pages.text(mark, x - 20, y, { width: 17, align: 'right', lineBreak: false });
      else this.#box(x - 12, y + 2, { ticked: task === TICKED_BOX, color: layout.color });
      if (this.#document.bufferedPageRange().count === page) this.#document.y = y;
      this.#blocks(content, { ...layout, x });
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

  #code(runs: readonly InlineRun[], { x }: Layout): void {
    const text = this.#lines(runs.map((run) => run.text).join('')).replace(/\n$/, '');
    if (text === '') return;
    this.#pages.roomFor(bodySize * 2);
    this.#font(text, { bold: false, code: true });
    this.#document.fillColor(grey);
    this.#pages.text(text, x + 8, this.#document.y, { width: right - x - 8 });
    this.#document.y += gap;
  }

  #rule({ x }: Layout): void {
    this.#pages.roomFor(2 * gap);
    const y = this.#document.y + gap / 2;
    this.#pages.rule(x, y, ruleColor);
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
    const scale = Math.min(0.75, (right - layout.x) / picture.width, (bottom - left) / picture.height);
    const [width, height] = [picture.width * scale, picture.height * scale];
    this.#pages.roomFor(height);
    try {
      this.#document.image(picture.bytes, layout.x, this.#document.y, { width, height });
    } catch {
      return false;
    }
    this.#document.y += height + gap;
    return true;
  }

  #table(table: Element, { x, color }: Layout): void {
    const rows = rowsOf(table).map((cells) =>
      cells.map((cell) =>
        this.#pages.printable(
          inlineRuns(cell.children)
            .map((run) => run.text)
            .join(''),
        ),
      ),
    );
    const columns = Math.max(0, ...rows.map((cells) => cells.length));
    if (columns === 0) return;
    const font = (row: number): void => {
      this.#pages.font(row === 0 ? 'bold' : 'regular', bodySize - 1.5);
      this.#document.fillColor(color);
    };
    const widths = columnWidths(this.#columnNeeds(rows, columns, font), right - x);
    const alignments = rowsOf(table).map((cells) => cells.map(({ attribs }) => alignmentOf(attribs['align'])));
    rows.forEach((cells, row) => {
      font(row);
      const heights = cells.map((text, column) => this.#pages.heightOf(text, (widths[column] ?? 40) - 8));
      const height = Math.max(12, ...heights);
      if (columns > 12 || height > bottom - left) {
        // Too much for one row: its cells stand below each other.
        for (const text of cells) this.#pages.text(text, x, this.#document.y, { width: right - x });
        return;
      }
      this.#pages.roomFor(height + 8);
      const { y } = this.#document;
      let at = x;
      cells.forEach((text, column) => {
        const width = widths[column] ?? 40;
        const align = alignments[row]?.[column] ?? 'left';
        this.#pages.text(text, at + 4, y + 3, { width: width - 8, align });
        at += width;
      });
      const end = y + height + 6;
      this.#pages.rule(x, end, ruleColor);
      this.#document.y = end + 1;
    });
    this.#document.y += gap;
  }

  /** By the first rows: those of a long table are much alike. */
  #columnNeeds(rows: readonly (readonly string[])[], columns: number, font: (row: number) => void): ColumnNeed[] {
    const needs = Array.from({ length: columns }, () => ({ word: 20, line: 20 }));
    for (const [row, cells] of rows.slice(0, 200).entries()) {
      font(row);
      for (const [column, text] of cells.slice(0, 12).entries()) {
        const need = needs[column];
        if (!need) continue;
        const short = text.slice(0, MAX_MEASURED);
        need.line = Math.max(need.line, this.#document.widthOfString(short) + 10);
        for (const word of short.split(' ')) need.word = Math.max(need.word, this.#document.widthOfString(word) + 10);
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

/** Nothing begins further to the right, however deep it stands. */
const middle = 300;

const rowsOf = (element: Element): Element[][] =>
  element.children
    .filter(isElement)
    .flatMap((child) => (child.name === 'tr' ? [child.children.filter(isElement)] : rowsOf(child)));

/** Letters of a cell that are measured; further ones make it longer and no wider. */
const MAX_MEASURED = 200;

const alignmentOf = (align: string | undefined): 'left' | 'center' | 'right' =>
  align === 'center' || align === 'right' ? align : 'left';

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
