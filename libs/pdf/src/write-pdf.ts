import { buffer } from 'node:stream/consumers';
import PDFDocument from 'pdfkit';
import { pageBounds, PdfPages } from './pdf-pages.ts';
import { shareTables } from './shared-tables.ts';
import { documentFonts } from './typeface.ts';

export interface PdfProperties {
  readonly title: string;
  readonly author?: string;
  readonly createdAt: Date;
  /** Of the text, as a tag of BCP 47, where it is known. */
  readonly language?: string;
}

/**
 * Writes documents on as many A4 pages as each needs. What is written the same way is the same document, byte for byte. Reads
 * the fonts, once.
 */
export function pdfWriter(): (properties: PdfProperties, write: (pages: PdfPages) => void) => Promise<Buffer> {
  const fonts = documentFonts();
  return async ({ title, author, createdAt, language }, write) => {
    const document = new PDFDocument({
      size: 'A4',
      // None yet, instead of Helvetica, whose measures would be read for each document.
      font: '',
      margins: {
        top: pageBounds.left,
        left: pageBounds.left,
        right: pageBounds.left,
        bottom: A4_HEIGHT - pageBounds.bottom,
      },
      bufferPages: true,
      displayTitle: true,
      ...(language !== undefined && { lang: language }),
      info: {
        Title: fonts.printable(title),
        ...(author !== undefined && { Author: fonts.printable(author) }),
        CreationDate: createdAt,
      },
    });
    for (const name of ['bold', 'regular'] as const) {
      document.registerFont(name, fonts[name]).font(name);
      shareTables(document, fonts[name]);
    }
    write(new PdfPages(document, fonts));
    document.end();
    return buffer(document);
  };
}

const A4_HEIGHT = 841.89;
