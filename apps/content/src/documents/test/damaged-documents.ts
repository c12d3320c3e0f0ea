import { zipArchive, type ZipPart } from '@platform-backend/testing';
import { deflateSync } from 'node:zlib';
import {
  docx,
  docxParagraph,
  docxParts,
  docxTable,
  epubParts,
  msg,
  odtParts,
  pdf,
  pptxParts,
  xlsxParts,
} from './document-files.ts';

export interface DamagedDocument {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Numbers below `limit` that are the same in every run with the same seed. */
type Random = (limit: number) => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

const paragraph =
  'Revenue grew by twelve percent in the third quarter, and the board expects the same for the next one. ';

interface Kind {
  readonly extension: string;
  readonly bytes: Buffer;
  /** Of archives: what is damaged before it is packed, so that its checksum is right. */
  readonly parts?: readonly ZipPart[];
}

/** One good document of every kind. */
export async function goodDocuments(): Promise<readonly Kind[]> {
  const archive = (extension: string, parts: readonly ZipPart[]): Kind => ({
    extension,
    parts,
    bytes: zipArchive(parts),
  });
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const rows = Array.from({ length: 30 }, (_, row) => `<row>${cell(`North ${row}`)}<c s="1"><v>${row}</v></c></row>`);
  const body =
    docxParagraph('Report', 'berschrift1') + docxParagraph(paragraph.repeat(5)) + docxTable(['a', 'b'], ['c', 'd']);
  const text = (extension: string, content: string): Kind => ({ extension, bytes: Buffer.from(content) });
  return [
    { extension: 'pdf', bytes: await pdf([paragraph.repeat(20), paragraph], { title: 'Report' }) },
    archive('docx', docxParts(body, 'Report')),
    archive(
      'xlsx',
      xlsxParts([{ name: 'Sales', rows: `<row>${cell('Region')}${cell('Day')}</row>${rows.join('')}` }], ['a']),
    ),
    archive('pptx', pptxParts([{ title: 'Plan', lines: [paragraph], notes: 'Thanks' }])),
    archive('odt', odtParts(`<text:h>Report</text:h><text:p>${paragraph.repeat(5)}</text:p>`, 'Report')),
    archive('epub', epubParts('Report', [`<h1>One</h1><p>${paragraph}</p>`, `<h1>Two</h1><p>${paragraph}</p>`])),
    text('rtf', `{\\rtf1\\ansicpg1252{\\info{\\title Report}}{\\b ${paragraph}}\\par caf\\'e9 \\u8364? ${paragraph}}`),
    text('json', JSON.stringify(Array.from({ length: 20 }, (_, id) => ({ id, text: paragraph, tags: ['a'] })))),
    text('html', `<html><title>T</title><h1>H</h1><p>${paragraph}</p><table><tr><td>a<td>b</table></html>`),
    text('md', `# Title\n\n${paragraph}\n\n- one\n- two\n\n\`\`\`\ncode\n\`\`\`\n`),
    text('csv', `Region,Revenue\n${'North,"4 2"\n'.repeat(30)}`),
    text('xml', `<?xml version="1.0"?><rows>${`<row id="1"><name>${paragraph}</name></row>`.repeat(20)}</rows>`),
    {
      extension: 'msg',
      bytes: msg({ subject: 'Fees', body: paragraph.repeat(40), from: 'Ann' }, { 'a.txt': Buffer.from(paragraph) }),
    },
    text('txt', paragraph.repeat(10)),
    text(
      'eml',
      `From: a@example.com\r\nTo: b@example.com\r\nSubject: =?utf-8?q?Caf=C3=A9?=\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(`<p>${paragraph}</p>`).toString('base64')}\r\n--x\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nhello\r\n--x--\r\n`,
    ),
  ];
}

/** A document with damage of a random kind; another kind's extension now and then. */
export function damagedDocument(kinds: readonly Kind[], random: Random): DamagedDocument {
  const kind = pick(kinds, random);
  const { extension } = random(10) === 0 ? pick(kinds, random) : kind;
  const name = `document.${extension}`;
  if (kind.parts && random(2) === 0) {
    const damaged = random(kind.parts.length);
    const parts = kind.parts.map((part, index) =>
      index === damaged ? { ...part, content: damage(Buffer.from(part.content as string), random) } : part,
    );
    return { name, bytes: zipArchive(parts) };
  }
  return { name, bytes: damage(kind.bytes, random) };
}

const pick = <T>(all: readonly T[], random: Random): T => {
  const one = all[random(all.length)];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
};

function damage(good: Buffer, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(good);
  for (let times = 1 + random(3); times > 0; times -= 1) bytes = pick(damages, random)(bytes, random);
  return bytes;
}

const damages: readonly ((bytes: Buffer, random: Random) => Buffer)[] = [
  // Some bytes are others.
  (bytes, random) => {
    for (let times = 1 + random(30); times > 0 && bytes.length > 0; times -= 1)
      bytes[random(bytes.length)] = random(256);
    return bytes;
  },
  // It ends too early, or begins too late.
  (bytes, random) => bytes.subarray(0, random(bytes.length)),
  (bytes, random) => bytes.subarray(random(Math.ceil(bytes.length / 10))),
  // A part is missing, is there many times, or is empty.
  (bytes, random) => {
    const start = random(bytes.length);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + random(200))]);
  },
  (bytes, random) => {
    const start = random(bytes.length);
    const piece = bytes.subarray(start, start + 1 + random(100));
    return Buffer.concat([
      bytes.subarray(0, start),
      ...Array<Buffer>(1 + random(2_000)).fill(piece),
      bytes.subarray(start),
    ]);
  },
  (bytes, random) => {
    const start = random(bytes.length);
    return bytes.fill(0, start, Math.min(bytes.length, start + random(500)));
  },
  // A number says something else.
  (bytes, random) => {
    const numbers = [...bytes.toString('latin1').matchAll(/\d+/g)];
    const one = numbers[random(numbers.length || 1)];
    if (!one) return bytes;
    const value = pick(['0', '-1', '99999999', '4294967296', '1e308'], random);
    return Buffer.concat([bytes.subarray(0, one.index), Buffer.from(value), bytes.subarray(one.index + one[0].length)]);
  },
];

/** What somebody may have made on purpose, made when it is wanted: some unpack to hundreds of megabytes. */
export function hostileDocuments(): readonly (() => DamagedDocument)[] {
  const mebibytes = (count: number, byte = ' ') => Buffer.alloc(count * 1024 * 1024, byte);
  const withPart = (parts: readonly ZipPart[], name: string, change: Partial<ZipPart>) =>
    zipArchive(parts.map((part) => (part.name === name ? { ...part, ...change } : part)));
  const sheet = 'xl/worksheets/sheet1.xml';
  const book = xlsxParts([{ name: 'S', rows: '' }]);
  const word = docxParts(docxParagraph('x'));
  const entities = ['<!ENTITY a0 "aaaaaaaaaa">'];
  for (let level = 1; level < 12; level += 1) entities.push(`<!ENTITY a${level} "${`&a${level - 1};`.repeat(10)}">`);
  const laughs = `<!DOCTYPE x [${entities.join('')}<!ENTITY f SYSTEM "file:///etc/passwd">]>`;
  const nested = (open: string, close: string, times: number) => open.repeat(times) + close.repeat(times);
  const stream = (content: Buffer) => {
    const packed = deflateSync(content);
    return pdfOf([
      `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed.toString('latin1')}\nendstream`,
    ]);
  };
  return [
    () => ({ name: 'spaces.xlsx', bytes: withPart(book, sheet, { content: mebibytes(300) }) }),
    () => ({
      name: 'lies.docx',
      bytes: withPart(word, 'word/document.xml', { content: mebibytes(40), claimedSize: 100 }),
    }),
    () => ({ name: 'lies.xlsx', bytes: withPart(book, sheet, { content: mebibytes(20), claimedSize: 2 ** 32 - 2 }) }),
    () => ({ name: 'archive-in-archive.docx', bytes: zipArchive([{ name: 'a.docx', content: docx('') }]) }),
    () => ({
      name: 'many.docx',
      bytes: zipArchive(Array.from({ length: 20_000 }, (_, one) => ({ name: `a${one}`, content: '' }))),
    }),
    () => ({
      name: 'strings.xlsx',
      bytes: withPart(book, 'xl/sharedStrings.xml', { content: `<sst>${'<si><t>a</t></si>'.repeat(1_000_000)}</sst>` }),
    }),
    () => ({
      name: 'cells.xlsx',
      bytes: withPart(book, sheet, {
        content: `<sheetData><row>${'<c><v>1</v></c>'.repeat(2_500_000)}</row></sheetData>`,
      }),
    }),
    () => ({
      name: 'far.xlsx',
      bytes: withPart(book, sheet, { content: '<row><c r="XFD1"><v>1</v></c></row>'.repeat(500) }),
    }),
    () => ({
      name: 'laughs.docx',
      bytes: withPart(word, 'word/document.xml', { content: `${laughs}<w:document>&a11;&f;</w:document>` }),
    }),
    () => ({
      name: 'laughs.xlsx',
      bytes: withPart(book, sheet, { content: `${laughs}<row><c t="str"><v>&a11;&f;</v></c></row>` }),
    }),
    () => ({
      name: 'deep.docx',
      bytes: withPart(word, 'word/document.xml', {
        content: `<w:document>${nested('<w:p>', '</w:p>', 200_000)}</w:document>`,
      }),
    }),
    () => ({ name: 'deep-tables.docx', bytes: docx(nested('<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>', 20_000)) }),
    () => ({ name: 'deep.xlsx', bytes: withPart(book, sheet, { content: nested('<a>', '</a>', 500_000) }) }),
    () => ({
      name: 'self.pptx',
      bytes: withPart(pptxParts([{ title: 'a', lines: [] }]), 'ppt/_rels/presentation.xml.rels', {
        content: '<Relationships><Relationship Id="rId1" Type="x/slide" Target="presentation.xml"/></Relationships>',
      }),
    }),
    () => ({ name: 'deep.html', bytes: Buffer.from(`<html>${nested('<div>', '</div>', 300_000)}`) }),
    () => ({ name: 'attributes.html', bytes: Buffer.from(`<html><p ${'a=b '.repeat(500_000)}>x`) }),
    () => ({ name: 'open.html', bytes: Buffer.from(`<html>${'<'.repeat(1_000_000)}`) }),
    () => ({ name: 'deep.xml', bytes: Buffer.from(`<?xml version="1.0"?>${nested('<a>', '</a>', 100_000)}`) }),
    () => ({ name: 'russian-dolls.eml', bytes: dolls(12) }),
    () => ({ name: 'deep.eml', bytes: Buffer.from(deepMail(2_000)) }),
    () => ({ name: 'headers.eml', bytes: Buffer.from(`From: a@b.c\nTo: a@b.c\n${'X: y\n'.repeat(800_000)}\nx`) }),
    () => ({
      name: 'words.eml',
      bytes: Buffer.from(
        `From: a@b.c\nTo: ${'a@b.c, '.repeat(200_000)}\nSubject: ${'=?utf-8?q?=41?= '.repeat(50_000)}\n\nx`,
      ),
    }),
    () => ({ name: 'quote.csv', bytes: Buffer.from(`a,b\n"${'x,'.repeat(3_000_000)}`) }),
    () => ({ name: 'columns.csv', bytes: Buffer.from(`${'a,'.repeat(2_500_000)}\n`) }),
    () => ({ name: 'run.txt', bytes: mebibytes(3, 'a') }),
    () => ({ name: 'lines.txt', bytes: mebibytes(8, '\n') }),
    () => ({ name: 'dots.txt', bytes: Buffer.from('. '.repeat(1_000_000)) }),
    () => ({ name: 'marks.md', bytes: Buffer.from(`${'#'.repeat(100_000)} a\n${'```\n'.repeat(100_000)}`) }),
    () => ({ name: 'front.md', bytes: Buffer.from('---\n'.repeat(200_000)) }),
    () => ({ name: 'stream.pdf', bytes: stream(mebibytes(400)) }),
    () => ({ name: 'text.pdf', bytes: stream(Buffer.from(`BT /F1 9 Tf ${'(aaaaaaaaaa) Tj '.repeat(1_000_000)} ET`)) }),
    () => ({ name: 'loop.pdf', bytes: pdfOf(['<< /Length 3 >>\nstream\nx y\nendstream'], '2 0 R') }),
    () => ({ name: 'pages.pdf', bytes: pdfOf(['<< /Length 0 >>\nstream\n\nendstream'], '3 0 R '.repeat(200_000)) }),
    () => ({
      name: 'deep.pdf',
      bytes: Buffer.from(`%PDF-1.7\n1 0 obj\n${nested('[', ']', 500_000)}\nendobj\ntrailer << /Root 1 0 R >>\n%%EOF`),
    }),
    () => ({ name: 'header-only.pdf', bytes: Buffer.from('%PDF-1.7\n') }),
  ];
}

/** A message in a message, each packed so that nobody sees what it is before it is unpacked. */
function dolls(depth: number): Buffer {
  let mail = 'From: a@b.c\r\nTo: a@b.c\r\n\r\nthe innermost';
  for (let level = 0; level < depth; level += 1)
    mail = [
      ...['From: a@b.c', 'To: a@b.c', 'MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=x', '', '--x'],
      ...['Content-Type: application/octet-stream; name=a.eml', 'Content-Transfer-Encoding: base64'],
      ...['Content-Disposition: attachment; filename=a.eml', '', Buffer.from(mail).toString('base64'), '--x--', ''],
    ].join('\r\n');
  return Buffer.from(mail);
}

function deepMail(depth: number): string {
  const open = Array.from(
    { length: depth },
    (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`,
  );
  return `From: a@b.c\r\nTo: a@b.c\r\n${open.join('')}\r\nx`;
}

/** A PDF by hand: catalogue, tree of pages with these children, a page, and further objects, the first of which it shows. */
function pdfOf(objects: readonly string[], kids = '3 0 R'): Buffer {
  const all = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${kids.split('R').length - 1} >>`,
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...objects,
  ];
  const bodies = all.map((object, index) => `${index + 1} 0 obj\n${object}\nendobj\n`);
  return Buffer.from(`%PDF-1.7\n${bodies.join('')}trailer << /Root 1 0 R /Size ${all.length + 1} >>\n%%EOF`, 'latin1');
}
