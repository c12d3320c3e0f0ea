import { describe, expect, it } from '@jest/globals';
import { zipArchive } from '@platform-backend/testing';
import { ExtractionFailure, type Extracted } from '../domain/extraction.ts';
import type { PictureOfPage } from '../domain/ocr.ts';
import { readDocument, type ReadContext } from '../extraction/read-document.ts';
import {
  docx,
  docxParagraph,
  docxParts,
  docxTable,
  epubParts,
  legacyOfficeWithMessage,
  msg,
  odtParts,
  pdf,
  pptxParts,
  xlsxParts,
} from './document-files.ts';
import { tiff } from './tiff.ts';

const reading = (bytes: Buffer | string, name = 'document', declaredType?: string): Promise<Extracted> =>
  readDocument(Buffer.from(bytes as string), { name, ...(declaredType !== undefined && { declaredType }) });

const refusal = (bytes: Buffer | string, name?: string): Promise<string> =>
  reading(bytes, name).then(
    () => 'read',
    (error: unknown) => (error instanceof ExtractionFailure ? error.code : 'no failure of an extraction'),
  );

const pages = ['Revenue grew by twelve percent in the third quarter.', 'The outlook for the next year is bright.'];

describe('text of documents', () => {
  it('is that of each page of a PDF, whose passages name their page', async () => {
    const read = await reading(await pdf(pages, { title: 'Quarterly report' }));
    expect(read).toMatchObject({ mediaType: 'application/pdf', pages: 2, title: 'Quarterly report', language: 'en' });
    expect(read.text).toBe(pages.join('\n\n'));
    expect(read.passages.map(({ text, page }) => [text, page])).toEqual(pages.map((text, index) => [text, index + 1]));
    expect(read.description).toBe(`Quarterly report. ${pages[0] ?? ''}`);
  });

  it('says of which pages of a PDF there is none', async () => {
    const read = await reading(await pdf(['First.', ' ', 'Third.', '· · ·']));
    expect(read).toMatchObject({ pages: 4, pagesWithoutText: [2, 4] });
    expect((await reading(await pdf(['First.']))).pagesWithoutText).toEqual([]);
  });

  it('is for pages that are pictures what somebody else reads of them, each in its place', async () => {
    const asked: PictureOfPage[][] = [];
    const using = (texts: readonly string[]): ReadContext => ({
      recognised: () => undefined,
      ocr: ['application/pdf', 'image/tiff'],
      readPictures: (pictures) => {
        asked.push([...pictures]);
        return Promise.resolve(texts);
      },
    });
    const scan = await readDocument(await pdf(['First.', ' ', 'Third.', ' ']), { name: 'a' }, using(['Second.', '']));
    expect(scan).toMatchObject({ text: 'First.\n\nSecond.\n\nThird.', pagesWithoutText: [4] });
    const fax = tiff(Array<Buffer>(3).fill(Buffer.from('P5 1 1 255\n.')));
    const read = await readDocument(fax, { name: 'a' }, using(['One.', '', 'Three.']));
    expect(read).toMatchObject({ mediaType: 'image/tiff', pages: 3, pagesWithoutText: [2] });
    expect(read.passages.map(({ page }) => page)).toEqual([1, 3]);
    expect(asked.map((pictures) => pictures.map(({ page }) => page))).toEqual([
      [2, 4],
      [1, 2, 3],
    ]);
    expect(asked[0]?.[0]).toEqual({ page: 2, width: 612, height: 792 });
    await expect(readDocument(await pdf([' ']), { name: 'a' }, using(['']))).rejects.toMatchObject({ code: 'no_text' });
    expect(await refusal(fax)).toBe('unsupported_type');
  });

  it('has the headings, paragraphs and tables of a Word file', async () => {
    const body =
      docxParagraph('Travel', 'berschrift1') +
      docxParagraph('Everybody books trains before planes.') +
      docxTable(['City', 'Limit'], ['Paris', '180']);
    const read = await reading(docx(body, 'Travel policy'));
    expect(read.title).toBe('Travel policy');
    expect(read.pages).toBeUndefined();
    expect(read.text).toBe('Travel\n\nEverybody books trains before planes.\n\nCity\tLimit\nParis\t180');
  });

  it('says in every row of a sheet what its columns are, with dates as dates', async () => {
    const text = (cell: string, content: string) => `<c r="${cell}" t="inlineStr"><is><t>${content}</t></is></c>`;
    const rows =
      `<row><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c>${text('D1', 'Day')}</row>` +
      `<row>${text('A2', 'North')}<c r="C2"><v>0.30000000000000004</v></c><c r="D2" s="2"><v>45000.5</v></c></row>`;
    const book = xlsxParts(
      [
        { name: 'Sales', rows },
        { name: 'Empty', rows: '' },
      ],
      ['Region', 'Revenue'],
    );
    const read = await reading(zipArchive(book));
    expect(read.text).toContain('Region: North; Revenue: 0.3; Day: 2023-03-15 12:00:00');
    expect(read.description).toBe('Sales: 1 row with the columns Region, Revenue, Day');
    expect(read.pages).toBe(2);
    expect(read.passages[0]?.page).toBe(1);
  });

  it('says of times how long they are where a sheet does, and takes no currency for one', async () => {
    const cell = (at: string, style: number, value: number) => `<c r="${at}" s="${style}"><v>${value}</v></c>`;
    const rows = `<row>${cell('A1', 3, 1.6875)}${cell('B1', 6, 0.3125)}${cell('C1', 4, -0.5)}${cell('D1', 5, 45_000)}</row>`;
    const formats = ['[h]:mm', '[$-407][mm]:ss', '_-* #,##0.00\\ _D_M_-;[Red]-#,##0.00\\ &quot;days&quot;'];
    const read = await reading(zipArchive(xlsxParts([{ name: 'Hours', rows }], [], formats)));
    expect(read.text).toContain('40:30:00\t7:30:00\t-12:00:00\t45000');
  });

  it('tells the headings of Markdown from its other lines', async () => {
    const lines = [
      '# Travel #',
      '',
      'By *train*.',
      '',
      '##  `Limits` ## ',
      '',
      `# ${'long '.repeat(101)}`,
      '',
      '# #',
      '#no',
      '',
      '### Sums',
    ];
    expect((await reading(lines.join('\n'), 'a.md')).detailedDescription).toContain('Sections: Limits; Sums');
    expect((await reading(lines.join('\n'), 'a.md')).title).toBe('Travel');
  });

  it('is that of each slide with its notes', async () => {
    const slides = [{ title: 'Plan', lines: ['Hire five people', 'Open Paris'], notes: 'Say thanks' }];
    const read = await reading(zipArchive(pptxParts([...slides, { title: 'End', lines: ['Questions?'] }])));
    expect(read).toMatchObject({ pages: 2, title: 'Plan' });
    expect(read.passages.map(({ text }) => text)).toEqual([
      'Plan\n\nHire five people\nOpen Paris\n\nNotes: Say thanks',
      'End\n\nQuestions?',
    ]);
  });

  it('is what a reader of a web page sees', async () => {
    const html = `<!DOCTYPE html><title>Fees &amp; more</title><style>p{}</style><nav>Home</nav><h1>Fees</h1>
      <p>Hello <b>wor</b>ld.<br>Bye.</p><ul><li>one<li>two</ul><script>steal()</script><p hidden>no</p>
      <table><tr><td><p>a</p><td>b<tr><td>c<td>d</table>`;
    expect(await reading(html)).toMatchObject({
      mediaType: 'text/html',
      title: 'Fees & more',
      text: 'Fees\n\nHello world.\nBye.\n\n- one\n- two\n\na\tb\nc\td',
    });
  });

  it('is what a message says, with who wrote it', async () => {
    const mail = [
      'From: Ann <ann@example.com>',
      'To: bob@example.com',
      'Subject: =?utf-8?q?Caf=C3=A9?=',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>See you <i>there</i>.</p>',
    ];
    expect(await reading(mail.join('\r\n'))).toMatchObject({
      mediaType: 'message/rfc822',
      title: 'Café',
      text: 'Subject: Café\nFrom: Ann <ann@example.com>\nTo: bob@example.com\n\nSee you there.',
    });
  });

  it('is that of what is attached to a message as well, and says what of it is not', async () => {
    const part = (name: string, bytes: Buffer | string) =>
      [
        ...['--x', `Content-Type: application/octet-stream; name="${name}"`, 'Content-Transfer-Encoding: base64'],
        ...[`Content-Disposition: attachment; filename="${name}"`, '', Buffer.from(bytes as string).toString('base64')],
      ].join('\r\n');
    const mail = (subject: string, ...parts: readonly string[]) =>
      [
        ...['From: a@b.c', 'To: b@b.c', `Subject: ${subject}`, 'MIME-Version: 1.0'],
        ...['Content-Type: multipart/mixed; boundary=x', '', '--x', 'Content-Type: text/plain', '', 'See there.'],
        ...[...parts, '--x--', ''],
      ].join('\r\n');
    const inner = mail('Inner', part('fees.csv', 'Fee;Euro\nTravel;180\n'));
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const read = await reading(
      mail('Outer', part('a.pdf', await pdf(['Ninety days.'])), part('in.eml', inner), part('b.png', png)),
    );
    expect(read.text).toContain('Attachments: a.pdf, in.eml, b.png\nNot read: b.png\n\nSee there.');
    expect(read.text).toContain('Attachment: a.pdf\n\nNinety days.');
    expect(read.text).toContain('Attachment: fees.csv\n\nFee\tEuro\nFee: Travel; Euro: 180');
    let dolls = mail('Innermost');
    for (let level = 0; level < 6; level += 1) dolls = mail(`Level ${String(level)}`, part('a.eml', dolls));
    const { text } = await reading(dolls);
    expect([text.match(/Subject: /g)?.length, text.includes('Not read: a.eml')]).toEqual([4, true]);
  });

  it('is that of a message of Outlook with what is attached to it', async () => {
    const mail = { subject: 'Fees', body: 'See there.', from: 'Ann' };
    const read = await reading(msg(mail, { 'a.pdf': await pdf(['Ninety days.']), 'b.bin': Buffer.alloc(50) }));
    expect(read).toMatchObject({ mediaType: 'application/vnd.ms-outlook', title: 'Fees' });
    expect(read.text).toBe(
      'Subject: Fees\nFrom: Ann\nAttachments: a.pdf, b.bin\nNot read: b.bin\n\nSee there.\n\nAttachment: a.pdf\n\nNinety days.',
    );
    expect(await refusal(msg(mail).subarray(0, 700))).toBe('damaged');
    const itself = (error: unknown) => (error as Error).message;
    expect(await reading(legacyOfficeWithMessage()).catch(itself)).toContain('docx');
  });

  it('is that of a message of Outlook in the code page that it names', async () => {
    const windows = (text: string): Buffer => Buffer.from(text.replaceAll('€', '\u0080'), 'latin1');
    const html = { codepage: 1252, bytes: windows('<p>Grüße, 5 €</p>') };
    expect((await reading(msg({ subject: 'Fees', body: '', from: 'Ann', html }))).text).toContain('\n\nGrüße, 5 €');
    const inUtf8 = { codepage: 65_001, bytes: Buffer.from('<p>Grüße</p>') };
    expect((await reading(msg({ subject: 'Fees', body: '', from: 'Ann', html: inUtf8 }))).text).toContain('\n\nGrüße');
    const cyrillic = (text: string): Buffer =>
      Buffer.from(text.replaceAll('Москва', '\u00cc\u00ee\u00f1\u00ea\u00e2\u00e0'), 'latin1');
    const said = async (codepage: number, encoded: typeof cyrillic, body: string) =>
      (await reading(msg({ subject: 'x', body, from: 'Ann', texts: { codepage, encoded } }))).text;
    expect(await said(1251, cyrillic, 'Москва')).toContain('\n\nМосква');
    expect(await said(1252, windows, 'Grüße, 5 €')).toContain('\n\nGrüße, 5 €');
  });

  it('is that of XML in the encoding that it names, where it is no UTF-8', async () => {
    const xml = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?><city>M\u00fcnchen</city>`;
    for (const bytes of [Buffer.from(xml('ISO-8859-1'), 'latin1'), Buffer.from(xml('ISO-8859-1'))])
      expect((await reading(bytes, 'a.xml')).text).toBe('city: München');
    expect((await reading(Buffer.from(xml('ISO-8859-7'), 'latin1'), 'a.xml')).text).toBe('city: Mόnchen');
    expect((await reading(Buffer.from(xml('none-such'), 'latin1'), 'a.xml')).text).toBe('city: München');
  });

  it('is that of each element of XML with its name, record by record', async () => {
    const xml = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa">]><fees xmlns="urn:x">
      <fee id="7"><city>Paris</city><limit currency="EUR">180</limit><note>Book <b>trains</b> first. &a;</note></fee>
      <fee><city>Rome</city><empty/></fee></fees>`;
    const read = await reading(xml, 'fees.xml');
    expect(read).toMatchObject({ mediaType: 'application/xml' });
    expect(read.text).toBe(
      'fee (id: 7)\ncity: Paris\nlimit (currency: EUR): 180\nBook\nb: trains\nfirst. &a;\n\ncity: Rome',
    );
    expect((await reading(xml)).mediaType).toBe('application/xml');
    expect((await reading('no element', 'a.xml')).mediaType).toBe('text/plain');
    expect(await refusal(`<?xml version="1.0"?>${'<a>'.repeat(3_000)}`, 'a.xml')).toBe('too_complex');
  });

  it('keeps Markdown as it is, and rows of CSV with the names of their columns', async () => {
    expect(await reading('# Notes\n\nSome *text*.\n', 'notes.md')).toMatchObject({
      mediaType: 'text/markdown',
      title: 'Notes',
      text: '# Notes\n\nSome *text*.',
    });
    expect(await reading('Region;Revenue\nNorth;"4\n2"\n', 'sales.csv')).toMatchObject({
      mediaType: 'text/csv',
      text: 'Region\tRevenue\nRegion: North; Revenue: 4 2',
    });
  });

  it('is that of an OpenDocument text with its lists, tables and notes, and not what was deleted', async () => {
    const body =
      '<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h text:outline-level="1">Travel</text:h>' +
      '<text:p>Book<text:s text:c="1"/>trains<text:note><text:note-citation/><text:note-body><text:p>not planes</text:p></text:note-body></text:note>.</text:p>' +
      '<text:list><text:list-item><text:p>one</text:p></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>' +
      '<table:table><table:table-row><table:table-cell><text:p>City</text:p></table:table-cell><table:table-cell><text:p>Limit</text:p></table:table-cell></table:table-row>' +
      '<table:table-row><table:table-cell><text:p>Paris</text:p></table:table-cell><table:table-cell><text:p>180</text:p></table:table-cell></table:table-row></table:table>';
    const parts = odtParts(body, 'Travel policy');
    const read = await reading(zipArchive(parts));
    expect(read).toMatchObject({ mediaType: 'application/vnd.oasis.opendocument.text', title: 'Travel policy' });
    expect(read.text).toBe('Travel\n\nBook trains (not planes).\n\n- one\n- two\n\nCity\tLimit\nParis\t180');
    const locked = '<manifest><file-entry><encryption-data manifest:checksum-type="SHA1"/></file-entry></manifest>';
    expect(await refusal(zipArchive([...parts, { name: 'META-INF/manifest.xml', content: locked }]))).toBe('encrypted');
  });

  it('is that of a book in the order in which its chapters are read', async () => {
    const parts = epubParts('Birds', ['<h1>Herons</h1><p>They stand.</p>', '<h1>Kingfishers</h1><p>They dive.</p>']);
    const read = await reading(zipArchive(parts), 'birds.txt');
    expect(read).toMatchObject({ mediaType: 'application/epub+zip', title: 'Birds' });
    expect(read.text).toBe('Herons\n\nThey stand.\n\nKingfishers\n\nThey dive.');
    const locked = '<encryption><EncryptedData><CipherReference URI="OEBPS/2.xhtml"/></EncryptedData></encryption>';
    expect(await refusal(zipArchive([...parts, { name: 'META-INF/encryption.xml', content: locked }]))).toBe(
      'encrypted',
    );
    expect(await refusal(zipArchive(parts.filter(({ name }) => name !== 'OEBPS/1.xhtml')))).toBe('damaged');
  });

  it('is that of a Rich Text file in any code page, without what stands around its pages', async () => {
    const rtf = String.raw`{\rtf1\ansi\ansicpg1251{\fonttbl{\f0 Arial;}}{\info{\title Plan}{\author Ann}}{\header Secret}{\*\generator X;}
\f0 Gr\u252?\u223ss aus \'cc\'ee\'f1\'ea\'e2\'e0\{1\}\par Next\line line\tab x{\pict 0102}{\b  bold}\par}`;
    expect(await reading(rtf, 'a.txt')).toMatchObject({ mediaType: 'application/rtf', title: 'Plan' });
    expect((await reading(rtf)).text).toBe('Grüßs aus Москва{1}\n\nNext\nline\tx bold');
    expect(await refusal(rtf.slice(0, -1))).toBe('damaged');
    expect(await refusal(`{\\rtf1 ${'{'.repeat(3_000)}${'}'.repeat(3_000)}}`)).toBe('too_complex');
  });

  it('is read of an OpenDocument text in no time, however long its runs of spaces are', async () => {
    const read = await reading(zipArchive(odtParts(`<text:p>a${'<text:s text:c="8"/>'.repeat(50_000)}b</text:p>`)));
    expect(read.text).toBe(`a${' '.repeat(8)}b`);
  });

  it('is that of JSON with the names that lead to each value', async () => {
    const json = {
      title: 'Fees',
      office: { city: 'Paris', tags: ['a', 'b'], none: null },
      rows: [{ fee: 1 }, { fee: 2.5 }],
    };
    expect(await reading(JSON.stringify(json), 'a.json')).toMatchObject({
      mediaType: 'application/json',
      text: 'title: Fees\noffice.city: Paris\noffice.tags: a, b\nrows.fee: 1\nrows.fee: 2.5',
    });
    expect((await reading('{"order":10157823456789012345,"fee":1.50}', 'a.json')).text).toBe(
      'order: 10157823456789012345\nfee: 1.50',
    );
    expect(await reading('{"a":1}\n\n{"a":{"b":"c"}}\n', 'a.jsonl')).toMatchObject({
      mediaType: 'application/jsonl',
      text: 'a: 1\n\na.b: c',
    });
    expect((await reading('{"a":1}\n{"a":{"b":"c"}}\n', 'export.json')).text).toBe('a: 1\n\na.b: c');
    expect(await refusal('{"a":', 'a.json')).toBe('damaged');
    expect(await refusal('{\n"a": 1,\n}', 'a.json')).toBe('damaged');
    expect(await refusal('{"a":1}\nnonsense', 'a.ndjson')).toBe('damaged');
    expect(await refusal(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`, 'a.json')).toBe('too_complex');
  });

  it.each([
    ['UTF-8', Buffer.from('Grüße aus München')],
    ['UTF-16', Buffer.from('\ufeffGrüße aus München', 'utf16le')],
    ['the encoding of Windows', Buffer.from('Grüße aus München', 'latin1')],
  ])('is read from %s', async (_encoding, bytes) => {
    expect((await reading(bytes, 'a.txt')).text).toBe('Grüße aus München');
  });
});

describe('the type of a document', () => {
  it('is that of its bytes, whatever it is called', async () => {
    const bytes = await pdf(pages);
    expect((await reading(bytes, 'a.docx', 'text/plain')).mediaType).toBe('application/pdf');
    expect((await reading('<html><p>Hello</p></html>', 'a.txt', 'text/plain')).mediaType).toBe('text/html');
  });

  it('is decided by name or claim only among texts', async () => {
    expect((await reading('a,b\nc,d', 'a', 'text/csv; charset=utf-8')).mediaType).toBe('text/csv');
    expect((await reading('a,b\nc,d', 'a')).mediaType).toBe('text/plain');
    expect((await reading('From: here\nto there', 'a.md')).mediaType).toBe('text/markdown');
  });
});

describe('a document that cannot be read', () => {
  it('says why', async () => {
    const compound = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
    expect(await refusal('')).toBe('empty_file');
    expect(await refusal(' \n\t ')).toBe('no_text');
    expect(await refusal(await pdf([' ']))).toBe('no_text');
    expect(await refusal(await pdf(pages, { password: 'secret' }))).toBe('encrypted');
    expect(await refusal(Buffer.concat([compound, Buffer.from('EncryptedPackage', 'utf16le')]))).toBe('encrypted');
    expect(await refusal(compound)).toBe('unsupported_type');
    expect(await refusal(zipArchive([{ name: 'a.txt', content: 'a' }]))).toBe('unsupported_type');
    expect(await refusal(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))).toBe('unsupported_type');
    expect(await refusal(Buffer.alloc(1000))).toBe('unsupported_type');
    expect(await refusal((await pdf(pages)).subarray(0, 200))).toBe('damaged');
    expect(await refusal(docx(docxParagraph('Hello')).subarray(0, -60))).toBe('damaged');
  });

  it('is one whose parts are encrypted, are not what the archive says, or are there twice', async () => {
    const parts = docxParts(docxParagraph('Hello'));
    const changed = (change: object) =>
      zipArchive(parts.map((part) => (part.name === 'word/document.xml' ? { ...part, ...change } : part)));
    expect(await refusal(changed({ encrypted: true }))).toBe('encrypted');
    expect(await refusal(changed({ claimedSize: 10 }))).toBe('damaged');
    expect(await refusal(zipArchive([...parts, ...parts.slice(-1)]))).toBe('damaged');
  });

  it('is one that unpacks to more than it may', async () => {
    const bomb = Buffer.alloc(300 * 1024 * 1024, ' ');
    const parts = docxParts('').map((part) => (part.name === 'word/styles.xml' ? { ...part, content: bomb } : part));
    expect(await refusal(zipArchive(parts))).toBe('too_large');
  });

  it('is none that has entities: they are not expanded', async () => {
    const entities = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>';
    const parts = xlsxParts([{ name: 'S', rows: '<row><c t="inlineStr"><is><t>x &b; &c;</t></is></c></row>' }]);
    const sheet = parts.map((part) =>
      part.name.includes('sheet1') ? { ...part, content: entities + part.content.toString() } : part,
    );
    expect((await reading(zipArchive(sheet))).text).toBe('S\n\nx &b; &c;');
  });
});
