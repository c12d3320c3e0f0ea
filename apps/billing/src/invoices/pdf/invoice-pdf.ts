import { pageBounds, pdfWriter, type PdfPages } from '@platform-backend/pdf';
import type { Invoice, InvoiceLine, InvoiceState, InvoiceTax } from '../domain/invoice.ts';
import type { InvoiceDocument, PrintedInvoice } from '../domain/invoices.ts';
import { amountFigure, percentFigure, quantityFigure, unitPriceFigure } from './invoice-figures.ts';

const { left, right } = pageBounds;
const middle = 330;

/** An invoice on as many A4 pages as it needs. The same invoice is the same document, byte for byte. */
export function invoicePdf(): InvoiceDocument {
  const writePdf = pdfWriter();
  return (invoice) => {
    const { number, seller, createdAt } = invoice;
    const properties = { title: `${nameOf(invoice)} ${number}`, author: seller.name, createdAt, language: 'en' };
    return writePdf(properties, (pages) => new InvoicePages(pages).write(invoice));
  };
}

interface Column {
  readonly title: string;
  readonly x: number;
  readonly width: number;
  readonly align: 'left' | 'right';
  readonly cell: (line: InvoiceLine, invoice: Invoice) => string;
}

const columns: readonly Column[] = [
  { title: 'Description', x: left, width: 200, align: 'left', cell: ({ description }) => description },
  { title: 'Quantity', x: 260, width: 60, align: 'right', cell: ({ quantity }) => quantityFigure(quantity) },
  {
    title: 'Unit price',
    x: 324,
    width: 72,
    align: 'right',
    cell: ({ amountMinor, quantity }, { currency }) => unitPriceFigure(amountMinor, quantity, currency),
  },
  { title: 'Tax', x: 400, width: 44, align: 'right', cell: (_line, { tax }) => rateOf(tax) || '-' },
  {
    title: 'Amount',
    x: 448,
    width: 91,
    align: 'right',
    cell: ({ amountMinor }, { currency }) => amountFigure(amountMinor, currency),
  },
];

class InvoicePages {
  readonly #pages: PdfPages;
  readonly #document: PdfPages['document'];

  constructor(pages: PdfPages) {
    this.#pages = pages;
    this.#document = pages.document;
  }

  write(invoice: PrintedInvoice): void {
    this.#parties(invoice);
    this.#lines(invoice);
    this.#totals(invoice);
    this.#feet(invoice);
  }

  #parties({ seller, buyer, ...invoice }: PrintedInvoice): void {
    this.#block(left, left, [['bold', 20, nameOf(invoice)]]);
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
      ['regular', 8, `${nameOf(invoice)} number`],
      ['bold', 10, invoice.number],
      ['regular', 9, `Issued on ${day(invoice.createdAt)}`],
      ['regular', 9, invoice.takesBack === undefined ? paidOn(invoice.state) : `For invoice ${invoice.takesBack}`],
      ['regular', 9, `Currency: ${invoice.currency}`],
      ['regular', 9, `Taxed in: ${invoice.country}`],
    ]);
    this.#document.y = Math.max(buyerEnd, factsEnd) + 28;
  }

  #lines(invoice: Invoice): void {
    this.#columnTitles();
    for (const line of invoice.lines) {
      const cells = columns.map((column) => ({ ...column, text: this.#pages.printable(column.cell(line, invoice)) }));
      this.#font('regular', 9);
      const height = Math.max(...cells.map(({ text, width }) => this.#pages.heightOf(text, width)));
      if (this.#pages.roomFor(height)) {
        this.#columnTitles();
        this.#font('regular', 9);
      }
      const { y } = this.#document;
      for (const { text, x, width, align } of cells) this.#pages.text(text, x, y, { width, align });
      this.#document.y = y + height + 5;
    }
    this.#rule();
  }

  #columnTitles(): void {
    this.#font('bold', 8);
    const { y } = this.#document;
    for (const { title, x, width, align } of columns) this.#pages.text(title, x, y, { width, align });
    this.#document.y = y + 14;
    this.#rule();
  }

  /** In one piece: nobody looks for a total on another page than what it is the total of. */
  #totals({ subtotalMinor, taxMinor, totalMinor, tax, country, currency, state, takesBack }: PrintedInvoice): void {
    this.#pages.roomFor(120);
    this.#total('regular', 9, 'Subtotal', amountFigure(subtotalMinor, currency));
    const rate = rateOf(tax);
    this.#total('regular', 9, `${tax.label}${rate && ` ${rate}`} (${country})`, amountFigure(taxMinor, currency));
    this.#total('bold', 11, `Total ${currency}`, amountFigure(totalMinor, currency));
    if (takesBack === undefined) this.#payment(state, totalMinor, currency);
    this.#note(tax.note);
  }

  #payment(state: InvoiceState, totalMinor: bigint, currency: string): void {
    const isOpen = state.status === 'OPEN';
    if (!isOpen) this.#total('regular', 9, paidOn(state), amountFigure(state.paidAt ? totalMinor : 0n, currency));
    this.#total('regular', 9, 'Left to pay', amountFigure(isOpen ? totalMinor : 0n, currency));
  }

  /** What the law wants to be said, below the totals. */
  #note(note: string): void {
    if (note === '') return;
    this.#font('regular', 9);
    const text = this.#pages.printable(note);
    const y = this.#document.y + 8;
    this.#pages.text(text, left, y, { width: right - left });
    this.#document.y = y + this.#pages.heightOf(text, right - left);
  }

  #total(font: Written[0], size: number, label: string, amount: string): void {
    this.#font(font, size);
    const { y } = this.#document;
    const text = this.#pages.printable(label);
    const height = this.#pages.heightOf(text, 160);
    this.#pages.text(text, 260, y, { width: 160 });
    this.#pages.text(amount, 420, y, { width: right - 420, align: 'right' });
    this.#document.y = y + height + 4;
  }

  #feet(invoice: PrintedInvoice): void {
    const { number, seller } = invoice;
    const issuer = this.#pages.printable(seller.name);
    this.#pages.writeFooters(({ y, page, pages }) => {
      this.#pages.text(issuer, left, y, { width: 300, height: 12, ellipsis: true });
      const numbered = `${nameOf(invoice)} ${number}, page ${page} of ${pages}`;
      this.#pages.text(numbered, right - 180, y, { width: 180, align: 'right' });
    });
  }

  /** Texts below each other; answers where they end. Empty ones are left out. */
  #block(x: number, y: number, texts: readonly Written[]): number {
    let end = y;
    for (const [font, size, text] of texts) {
      if (text === '') continue;
      this.#font(font, size);
      const width = (x === left ? middle - 20 : right) - x;
      this.#pages.text(this.#pages.printable(text), x, end, { width });
      end = this.#document.y + 1;
    }
    return end;
  }

  #rule(): void {
    const y = this.#document.y + 1;
    this.#pages.rule(left, y);
    this.#document.y = y + 6;
  }

  #font(font: Written[0], size: number): void {
    this.#pages.font(font, size);
  }
}

type Written = readonly [font: 'regular' | 'bold', size: number, text: string];

const nameOf = ({ takesBack }: Pick<PrintedInvoice, 'takesBack'>): string =>
  takesBack === undefined ? 'Invoice' : 'Credit note';

const rateOf = ({ basisPoints }: InvoiceTax): string => (basisPoints === null ? '' : percentFigure(basisPoints));

const paidOn = ({ status, paidAt }: InvoiceState): string =>
  paidAt ? `Paid on ${day(paidAt)}` : status === 'VOID' ? 'Void: nothing is to be paid' : 'Not paid yet';

const day = (date: Date): string => date.toISOString().slice(0, 10);
