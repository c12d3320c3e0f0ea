import { documentFonts, unknownLetter, type DocumentFonts } from '@platform-backend/typeface';
import PDFDocument from 'pdfkit';
import type { Invoice, InvoiceLine, InvoiceTax } from '../domain/invoice.ts';
import type { InvoiceDocument } from '../domain/invoices.ts';
import { amountFigure, percentFigure, quantityFigure, unitPriceFigure } from './invoice-figures.ts';

const left = 56;
const right = 539;
const middle = 330;
/** What is written stays above it; the foot of the page is below. */
const bottom = 760;
const foot = 790;

/** An invoice on as many A4 pages as it needs. The same invoice is the same document, byte for byte. */
export function invoicePdf(): InvoiceDocument {
  const fonts = documentFonts();
  return (invoice) =>
    new Promise((resolve, reject) => {
      const document = new PDFDocument({
        size: 'A4',
        margin: left,
        bufferPages: true,
        lang: 'en',
        displayTitle: true,
        info: {
          Title: `Invoice ${invoice.number}`,
          Author: fonts.printable(invoice.seller.name),
          CreationDate: invoice.createdAt,
        },
      });
      const chunks: Buffer[] = [];
      document.on('data', (chunk: Buffer) => chunks.push(chunk));
      document.on('end', () => resolve(Buffer.concat(chunks)));
      document.on('error', reject);
      document.registerFont('regular', fonts.regular).registerFont('bold', fonts.bold);
      new InvoicePages(document, fonts).write(invoice);
      document.end();
    });
}

interface Column {
  readonly title: string;
  readonly x: number;
  readonly width: number;
  readonly align: 'left' | 'right';
  readonly cell: (line: InvoiceLine, tax: InvoiceTax) => string;
}

const columns: readonly Column[] = [
  { title: 'Description', x: left, width: 200, align: 'left', cell: ({ description }) => description },
  { title: 'Quantity', x: 260, width: 60, align: 'right', cell: ({ quantity }) => quantityFigure(quantity) },
  {
    title: 'Unit price',
    x: 324,
    width: 72,
    align: 'right',
    cell: ({ amountMinor, quantity }) => unitPriceFigure(amountMinor, quantity),
  },
  { title: 'Tax', x: 400, width: 44, align: 'right', cell: (_line, tax) => rateOf(tax) || '-' },
  { title: 'Amount', x: 448, width: 91, align: 'right', cell: ({ amountMinor }) => amountFigure(amountMinor) },
];

class InvoicePages {
  readonly #document: PDFKit.PDFDocument;
  readonly #printable: DocumentFonts['printable'];
  #hidesLetters = false;

  constructor(document: PDFKit.PDFDocument, { printable }: DocumentFonts) {
    this.#document = document;
    this.#printable = printable;
  }

  write(invoice: Invoice): void {
    this.#parties(invoice);
    this.#lines(invoice);
    this.#totals(invoice);
    this.#feet(invoice);
  }

  #parties({ seller, buyer, ...invoice }: Invoice): void {
    this.#block(left, left, [['bold', 20, 'Invoice']]);
    const sellerEnd = this.#block(middle, left, [
      ['bold', 10, seller.name],
      ...seller.addressLines.map((line): Written => ['regular', 9, line]),
      ['regular', 9, seller.vatId && `VAT ID: ${seller.vatId}`],
    ]);
    const top = Math.max(sellerEnd, 120) + 24;
    const organisation = buyer.organisationName ?? '';
    const addressed = buyer.companyName || organisation;
    const buyerEnd = this.#block(left, top, [
      ['regular', 8, 'Billed to'],
      ['bold', 10, addressed],
      ...buyer.addressLines.map((line): Written => ['regular', 9, line]),
      ['regular', 9, buyer.vatId && `VAT ID: ${buyer.vatId}`],
      ['regular', 9, addressed === organisation ? '' : `Organisation: ${organisation}`],
      ['regular', 8, invoice.organisationId],
    ]);
    const factsEnd = this.#block(middle, top, [
      ['regular', 8, 'Invoice number'],
      ['bold', 10, invoice.number],
      ['regular', 9, `Issued on ${day(invoice.createdAt)}`],
      ['regular', 9, `Paid on ${day(invoice.paidAt)}`],
      ['regular', 9, `Currency: ${invoice.currency}`],
      ['regular', 9, `Taxed in: ${invoice.country}`],
    ]);
    this.#document.y = Math.max(buyerEnd, factsEnd) + 28;
  }

  #lines({ lines, tax }: Invoice): void {
    this.#columnTitles();
    for (const line of lines) {
      const cells = columns.map((column) => ({ ...column, text: this.#shown(column.cell(line, tax)) }));
      this.#font('regular', 9);
      const height = Math.max(
        ...cells.map(({ text, width }) => this.#document.heightOfString(text, { width, features })),
      );
      if (this.#document.y + height > bottom) {
        this.#newPage();
        this.#columnTitles();
        this.#font('regular', 9);
      }
      const { y } = this.#document;
      for (const { text, x, width, align } of cells) this.#document.text(text, x, y, { width, align, features });
      this.#document.y = y + height + 5;
    }
    this.#rule();
  }

  #columnTitles(): void {
    this.#font('bold', 8);
    const { y } = this.#document;
    for (const { title, x, width, align } of columns) this.#document.text(title, x, y, { width, align, features });
    this.#document.y = y + 14;
    this.#rule();
  }

  /** In one piece: nobody looks for a total on another page than what it is the total of. */
  #totals({ subtotalMinor, taxMinor, totalMinor, tax, country, currency, paidAt }: Invoice): void {
    if (this.#document.y + 90 > bottom) this.#newPage();
    this.#total('regular', 9, 'Subtotal', amountFigure(subtotalMinor));
    const rate = rateOf(tax);
    this.#total('regular', 9, `${tax.label}${rate && ` ${rate}`} (${country})`, amountFigure(taxMinor));
    this.#total('bold', 11, `Total ${currency}`, amountFigure(totalMinor));
    this.#total('regular', 9, `Paid on ${day(paidAt)}`, amountFigure(totalMinor));
    this.#total('regular', 9, 'Left to pay', amountFigure(0n));
  }

  #total(font: Written[0], size: number, label: string, amount: string): void {
    this.#font(font, size);
    const { y } = this.#document;
    const text = this.#shown(label);
    const height = this.#document.heightOfString(text, { width: 160, features });
    this.#document.text(text, 260, y, { width: 160, features });
    this.#document.text(amount, 420, y, { width: right - 420, align: 'right', features });
    this.#document.y = y + height + 4;
  }

  /** Last, when it is known how many pages there are and whether everything could be written. */
  #feet({ number, seller }: Invoice): void {
    const issuer = this.#shown(seller.name);
    const { start, count } = this.#document.bufferedPageRange();
    for (let page = start; page < start + count; page += 1) {
      this.#document.switchToPage(page);
      // Below the margin a text would begin another page.
      this.#document.page.margins.bottom = 0;
      this.#font('regular', 7);
      if (this.#hidesLetters)
        this.#document.text(aboutHiddenLetters, left, foot - 12, { width: right - left, features });
      const numbered = `Invoice ${number}, page ${page + 1} of ${count}`;
      this.#document
        .text(issuer, left, foot, { width: 300, height: 12, ellipsis: true, features })
        .text(numbered, right - 180, foot, { width: 180, align: 'right', features });
    }
  }

  /** Texts below each other; answers where they end. Empty ones are left out. */
  #block(x: number, y: number, texts: readonly Written[]): number {
    let end = y;
    for (const [font, size, text] of texts) {
      if (text === '') continue;
      this.#font(font, size);
      this.#document.text(this.#shown(text), x, end, { width: (x === left ? middle - 20 : right) - x, features });
      end = this.#document.y + 1;
    }
    return end;
  }

  #newPage(): void {
    this.#document.addPage();
    this.#document.y = left;
  }

  #rule(): void {
    const y = this.#document.y + 1;
    this.#document.moveTo(left, y).lineTo(right, y).lineWidth(0.5).stroke();
    this.#document.y = y + 6;
  }

  #font(font: Written[0], size: number): void {
    this.#document.font(font).fontSize(size);
  }

  #shown(text: string): string {
    const printable = this.#printable(text);
    if (printable.includes(unknownLetter)) this.#hidesLetters = true;
    return printable;
  }
}

/**
 * The typeface would take some letters apart into a letter and an accent. That looks the same, but a reader that
 * searches or copies the text would then find the letter without its accent. PDFKit hands this on as it is.
 */
const features = { ccmp: false } as unknown as PDFKit.Mixins.OpenTypeFeatures[];

type Written = readonly [font: 'regular' | 'bold', size: number, text: string];

const aboutHiddenLetters = `${unknownLetter} stands for a letter that this document cannot show.`;

const rateOf = ({ basisPoints }: InvoiceTax): string => (basisPoints === null ? '' : percentFigure(basisPoints));

const day = (date: Date): string => date.toISOString().slice(0, 10);
