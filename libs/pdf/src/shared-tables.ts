/** As `pdfkit` and `fontkit` keep them: what was read of a font file so far, by the names of its tables. */
interface DocumentWithFont {
  readonly _font?: { readonly font?: { _tables?: object } };
}

const read = new WeakMap<Buffer, object>();

/**
 * The font that is set now in a document was opened from this file: what documents before it have read of the file is not read
 * again. Each document opens its fonts anew, and most of its time would go into tables that are the same every time. Glyphs
 * are not shared: they remember which letters they were first asked for.
 */
export function shareTables(document: PDFKit.PDFDocument, file: Buffer): void {
  const { font } = (document as DocumentWithFont)._font ?? {};
  if (!font?._tables) return;
  const known = read.get(file);
  if (known) font._tables = known;
  else read.set(file, font._tables);
}
