import PDFDocument from 'pdfkit';
import { amountText, type Invoice } from '../domain/invoices/invoice.ts';
import type { InvoiceDocument } from '../domain/invoices/invoices.ts';

const left = 56;
const right = 540;
const amountColumn = 440;

/** An invoice on one or more A4 pages. The same invoice is the same document, byte for byte. */
export const invoicePdf =
  (seller: string): InvoiceDocument =>
  (invoice) =>
    new Promise((resolve, reject) => {
      const document = new PDFDocument({
        size: 'A4',
        margin: left,
        info: { Title: `Invoice ${invoice.number}`, Author: printable(seller), CreationDate: invoice.createdAt },
      });
      const chunks: Buffer[] = [];
      document.on('data', (chunk: Buffer) => chunks.push(chunk));
      document.on('end', () => resolve(Buffer.concat(chunks)));
      document.on('error', reject);
      write(document, seller, invoice);
      document.end();
    });

function write(document: PDFKit.PDFDocument, seller: string, invoice: Invoice): void {
  document.font('Helvetica').fontSize(10).text(printable(seller));
  document.moveDown(2).font('Helvetica-Bold').fontSize(18).text(`Invoice ${invoice.number}`);
  document.moveDown(0.5).font('Helvetica').fontSize(10);
  document.text(`Date: ${day(invoice.createdAt)}`);
  document.text(`Paid: ${day(invoice.paidAt)}`);
  document.text(`Customer: ${printable(invoice.organisationId)}`);
  document.text(`Country: ${invoice.country}`);
  document.moveDown(2);
  for (const line of invoice.lines) row(document, printable(line.description), amountText(line.amountMinor));
  document.moveDown(0.5).moveTo(left, document.y).lineTo(right, document.y).stroke().moveDown(0.5);
  row(document, 'Subtotal', amountText(invoice.subtotalMinor));
  row(document, 'Tax', amountText(invoice.taxMinor));
  document.font('Helvetica-Bold');
  row(document, `Total in ${invoice.currency}`, amountText(invoice.totalMinor));
}

function row(document: PDFKit.PDFDocument, description: string, amount: string): void {
  if (document.y > document.page.height - 2 * left) document.addPage();
  const { y } = document;
  document.text(amount, amountColumn, y, { width: right - amountColumn, align: 'right' });
  document.text(description, left, y, { width: amountColumn - left - 12 }).moveDown(0.3);
}

/** The built-in fonts know Latin letters only; what they do not know is shown as a question mark. */
const printable = (text: string): string => text.replaceAll(/[^\u0020-\u007e\u00a0-\u00ff]/g, '?');

const day = (date: Date): string => date.toISOString().slice(0, 10);
