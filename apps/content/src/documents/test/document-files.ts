import { burn, type Entry } from '@kenjiuno/msgreader/lib/Burner.js';
import { TypeEnum } from '@kenjiuno/msgreader/lib/Reader.js';
import { zipArchive, type ZipPart } from '@platform-backend/testing';
import PDFDocument from 'pdfkit';

/** Good documents of every kind, made on the spot. */

const relationships = (...entries: readonly (readonly [id: string, type: string, target: string])[]): string =>
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${entries
    .map(
      ([id, type, target]) =>
        `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

const contentTypes = (part: string, type: string): string =>
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`;

const office = (main: string, type: string, title: string, parts: readonly ZipPart[]): ZipPart[] => [
  { name: '[Content_Types].xml', content: contentTypes(main, type) },
  { name: '_rels/.rels', content: relationships(['rId1', 'officeDocument', main]) },
  {
    name: 'docProps/core.xml',
    content: `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></cp:coreProperties>`,
  },
  ...parts,
];

const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

export const docxParts = (body: string, title = ''): ZipPart[] =>
  office('word/document.xml', 'wordprocessingml.document', title, [
    {
      name: 'word/document.xml',
      content: `<?xml version="1.0"?><w:document ${word}><w:body>${body}</w:body></w:document>`,
    },
    {
      name: 'word/styles.xml',
      content: `<w:styles ${word}><w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    },
    { name: 'word/_rels/document.xml.rels', content: relationships(['rId1', 'styles', 'styles.xml']) },
  ]);

export const docxParagraph = (text: string, style = ''): string =>
  `<w:p><w:pPr>${style && `<w:pStyle w:val="${style}"/>`}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;

export const docxTable = (...rows: readonly (readonly string[])[]): string =>
  `<w:tbl>${rows.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${docxParagraph(cell)}</w:tc>`).join('')}</w:tr>`).join('')}</w:tbl>`;

export const docx = (body: string, title = ''): Buffer => zipArchive(docxParts(body, title));

const sheetNames = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';

export const xlsxParts = (
  sheets: readonly { readonly name: string; readonly rows: string }[],
  strings: readonly string[] = [],
  /** Of cells from style 3 on; behind them comes one for hours beyond a day. */
  formats: readonly string[] = [],
): ZipPart[] =>
  office('xl/workbook.xml', 'spreadsheetml.sheet', '', [
    {
      name: 'xl/workbook.xml',
      content: `<workbook ${sheetNames}><sheets>${sheets.map(({ name }, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`).join('')}</sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: relationships(
        ...sheets.map((_, index) => [`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`] as const),
        ['rIdS', 'sharedStrings', 'sharedStrings.xml'],
        ['rIdT', 'styles', '/xl/styles.xml'],
      ),
    },
    {
      name: 'xl/sharedStrings.xml',
      content: `<sst>${strings.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    },
    {
      name: 'xl/styles.xml',
      content: `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>${formats.map((code, index) => `<numFmt numFmtId="${165 + index}" formatCode="${code}"/>`).join('')}</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/>${formats.map((_, index) => `<xf numFmtId="${165 + index}"/>`).join('')}<xf numFmtId="46"/></cellXfs></styleSheet>`,
    },
    ...sheets.map(({ rows }, index) => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    })),
  ]);

export const pptxParts = (
  slides: readonly { readonly title: string; readonly lines: readonly string[]; readonly notes?: string }[],
): ZipPart[] => {
  const shape = (placeholder: string, lines: readonly string[]) =>
    `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${placeholder}"/></p:nvPr></p:nvSpPr><p:txBody>${lines.map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`).join('')}</p:txBody></p:sp>`;
  return office('ppt/presentation.xml', 'presentationml.presentation', '', [
    {
      name: 'ppt/presentation.xml',
      content: `<p:presentation ${sheetNames}><p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    },
    {
      name: 'ppt/_rels/presentation.xml.rels',
      content: relationships(
        ...slides.map((_, index) => [`rId${index + 1}`, 'slide', `slides/slide${index + 1}.xml`] as const),
      ),
    },
    ...slides.flatMap(({ title, lines, notes }, index) => [
      {
        name: `ppt/slides/slide${index + 1}.xml`,
        content: `<p:sld><p:cSld><p:spTree>${shape('title', [title])}${shape('body', lines)}</p:spTree></p:cSld></p:sld>`,
      },
      ...(notes === undefined
        ? []
        : [
            {
              name: `ppt/slides/_rels/slide${index + 1}.xml.rels`,
              content: relationships(['rId1', 'notesSlide', `../notesSlides/notes${index + 1}.xml`]),
            },
            {
              name: `ppt/notesSlides/notes${index + 1}.xml`,
              content: `<p:notes>${shape('sldNum', [String(index + 1)])}${shape('body', [notes])}</p:notes>`,
            },
          ]),
    ]),
  ]);
};

export const odtParts = (body: string, title = ''): ZipPart[] => [
  { name: 'mimetype', content: 'application/vnd.oasis.opendocument.text' },
  {
    name: 'content.xml',
    content: `<?xml version="1.0"?><office:document-content><office:body><office:text>${body}</office:text></office:body></office:document-content>`,
  },
  {
    name: 'meta.xml',
    content: `<office:document-meta><office:meta><dc:title>${title}</dc:title></office:meta></office:document-meta>`,
  },
];

/** The chapters stand in the archive in the opposite order. */
export const epubParts = (title: string, chapters: readonly string[]): ZipPart[] => [
  { name: 'mimetype', content: 'application/epub+zip' },
  {
    name: 'META-INF/container.xml',
    content: '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
  },
  {
    name: 'OEBPS/book.opf',
    content: `<package><metadata><dc:title>${title}</dc:title></metadata><manifest>${chapters
      .map((_, at) => `<item id="c${at}" href="${at + 1}.xhtml" media-type="application/xhtml+xml"/>`)
      .toReversed()
      .join('')}</manifest><spine>${chapters.map((_, at) => `<itemref idref="c${at}"/>`).join('')}</spine></package>`,
  },
  ...chapters
    .map((chapter, at) => ({ name: `OEBPS/${at + 1}.xhtml`, content: `<html><body>${chapter}</body></html>` }))
    .toReversed(),
];

/** A PDF with a page for each text; `unseen` stands on each in small white letters. */
export const pdf = (
  pages: readonly string[],
  options: { readonly title?: string; readonly password?: string; readonly unseen?: string } = {},
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const document = new PDFDocument({
      autoFirstPage: false,
      ...(options.title !== undefined && { info: { Title: options.title } }),
      ...(options.password !== undefined && { userPassword: options.password, pdfVersion: '1.7' as const }),
    });
    const chunks: Buffer[] = [];
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
    const { unseen } = options;
    for (const text of pages) {
      document.addPage().fontSize(11).fillColor('black').text(text);
      if (unseen !== undefined) document.fontSize(1).fillColor('white').text(unseen);
    }
    document.end();
  });

/** An Office file of before 2007, with a message in it. */
export function legacyOfficeWithMessage(): Buffer {
  const file = (name: string, bytes: Buffer): Entry => ({
    ...{ name, type: TypeEnum.DOCUMENT, length: bytes.length, binaryProvider: () => Uint8Array.from(bytes) },
  });
  const entries: Entry[] = [
    { name: 'Root Entry', type: TypeEnum.ROOT, length: 0, children: [1, 2] },
    file('WordDocument', Buffer.alloc(5000, 'a')),
    { name: '_1234', type: TypeEnum.DIRECTORY, length: 0, children: [3] },
    file('__properties_version1.0', Buffer.alloc(32)),
  ];
  return Buffer.from(burn(entries));
}

interface Msg {
  readonly subject: string;
  readonly body: string;
  readonly from: string;
  readonly html?: { readonly codepage: number; readonly bytes: Buffer };
  /** Of texts that are not Unicode. */
  readonly texts?: { readonly codepage: number; readonly encoded: (text: string) => Buffer };
}

/** A message of Outlook, with files attached. */
export function msg(
  { subject, body, from, html, texts }: Msg,
  attached: Readonly<Record<string, Buffer>> = {},
): Buffer {
  const entries: Entry[] = [{ name: 'Root Entry', type: TypeEnum.ROOT, length: 0, children: [] }];
  const add = (parent: number, name: string, bytes?: Buffer): number => {
    const at = entries.length;
    entries.push(
      bytes
        ? { name, type: TypeEnum.DOCUMENT, length: bytes.length, binaryProvider: () => Uint8Array.from(bytes) }
        : { name, type: TypeEnum.DIRECTORY, length: 0, children: [] },
    );
    entries[parent]?.children?.push(at);
    return at;
  };
  const text = (parent: number, tag: string, content: string): number =>
    texts
      ? add(parent, `__substg1.0_${tag}001E`, texts.encoded(content))
      : add(parent, `__substg1.0_${tag}001F`, Buffer.from(content, 'utf16le'));
  const numbers = [
    ...(texts ? [[0x3f_fd_00_03, texts.codepage] as const] : []),
    ...(html ? [[0x3f_de_00_03, html.codepage] as const] : []),
  ];
  const properties = numbers.map(([tag, value]) => {
    const property = Buffer.alloc(16);
    property.writeUInt32LE(tag, 0);
    property.writeUInt32LE(value, 8);
    return property;
  });
  add(0, '__properties_version1.0', Buffer.concat([Buffer.alloc(32), ...properties]));
  if (html) add(0, '__substg1.0_10130102', html.bytes);
  text(0, '0037', subject);
  text(0, '1000', body);
  text(0, '0C1A', from);
  for (const [at, [name, bytes]] of Object.entries(attached).entries()) {
    const folder = add(0, `__attach_version1.0_#${at.toString(16).padStart(8, '0')}`);
    add(folder, '__properties_version1.0', Buffer.alloc(8));
    text(folder, '3707', name);
    add(folder, '__substg1.0_37010102', bytes);
  }
  return Buffer.from(burn(entries));
}
