import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadContract } from '@platform-backend/contract';
import { contentContract } from '@platform-backend/contract-content';
import { repetitions } from '@platform-backend/testing';
import { extractText, getDocumentProxy } from 'unpdf';
import type { Report } from '../domain/report.ts';
import { RENDER_TIMEOUT_MS, reportPages, type ReportPagesThreads } from '../rendering/report-pages.ts';

const noon = new Date('2026-01-01T12:00:00Z');

const reportOf = (markdown: string, title = 'Quarter'): Report => ({
  id: 'r1',
  title,
  markdown,
  authorId: null,
  messageId: null,
  runId: null,
  revision: 1,
  createdAt: noon,
  updatedAt: noon,
  deletedAt: null,
});

describe('pages of reports', () => {
  let pages: ReportPagesThreads;
  beforeAll(() => {
    pages = reportPages();
  });
  afterAll(() => pages.close());

  const pdfText = async (markdown: string, title?: string): Promise<string[]> =>
    (await extractText(new Uint8Array(await pages.pdf('org_a', reportOf(markdown, title))))).text;

  it('on paper have all that the report says, in its order', async () => {
    const markdown =
      '## Results\n\nRevenue **grew** by *twelve* percent.\n\n- one\n- two\n  1. deeper\n\n> quoted\n\n```\ncode();\n```\n\n| Region | Sum |\n|---|---|\n| North | 42 |\n\nGrüße, Ελλάδα.';
    const [text = ''] = await pdfText(markdown);
    const words = [
      'Quarter',
      'Results',
      'Revenue',
      'twelve',
      'one',
      'two',
      'deeper',
      'quoted',
      'code();',
      'Region',
      '42',
    ];
    const positions = [...words, 'Grüße, Ελλάδα.'].map((word) => text.indexOf(word));
    expect(positions).not.toContain(-1);
    expect(positions).toEqual(positions.toSorted((one, other) => one - other));
  });

  it('are as many as it takes, and leave nothing out', async () => {
    const paragraphs = Array.from({ length: 300 }, (_, index) => `Paragraph ${index} says what has to be said.`);
    const texts = await pdfText([...paragraphs, '', `| a | b |\n|---|---|\n${'| c | d |\n'.repeat(100)}`].join('\n\n'));
    expect(texts.length).toBeGreaterThan(5);
    const text = texts.join('\n');
    for (const paragraph of paragraphs) expect(text).toContain(paragraph);
    expect(text).toContain(`${texts.length} of ${texts.length}`);
  });

  it('keep words of a table whole beside a column with much text, and its numbers to the right', async () => {
    const long = 'a sentence that goes on and on '.repeat(12);
    const table = `| Responsibility | What it is | Sum |\n|---|---|--:|\n| Communications | ${long} | 7 |\n| Administration | ${long} | 1234567 |`;
    const pdf = await pages.pdf('org_a', reportOf(table));
    const { items } = await (await (await getDocumentProxy(new Uint8Array(pdf))).getPage(1)).getTextContent();
    const texts = items.flatMap((item) => ('str' in item ? [item] : []));
    for (const word of ['Responsibility', 'Communications', 'Administration'])
      expect(texts.map(({ str }) => str.trim())).toContain(word);
    const ends = ['7', '1234567'].map((number) => {
      const item = texts.find(({ str }) => str.trim() === number);
      return Number(item?.transform[4]) + (item?.width ?? NaN);
    });
    expect(ends[0]).toBeCloseTo(ends[1] ?? NaN, 0);
  });

  it('leave small numbers of a table their room beside addresses that fit no column', async () => {
    const cells = Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? '1234' : 'x'.repeat(200)));
    const row = (of: readonly string[]) => `| ${of.join(' | ')} |`;
    const table = [row(cells), row(cells.map(() => '---')), row(cells)].join('\n');
    const pdf = await pages.pdf('org_a', reportOf(table));
    const { items } = await (await (await getDocumentProxy(new Uint8Array(pdf))).getPage(1)).getTextContent();
    const texts = items.flatMap((item) => ('str' in item ? [item] : []));
    const starts = texts.flatMap(({ str, transform }) => (/^x+$/.test(str.trim()) ? [Number(transform[4])] : []));
    const numbers = texts.filter(({ str }) => str.trim() === '1234');
    expect(numbers).toHaveLength(12);
    for (const { transform, width } of numbers) {
      const from = Number(transform[4]);
      expect(Math.min(...starts.filter((start) => start > from))).toBeGreaterThan(from + width);
    }
  });

  it('show boxes before tasks, and notes at the end with small numbers', async () => {
    const [text = ''] = await pdfText('- [x] done\n- [ ] open\n\nA claim.[^a]\n\n[^a]: Its reason.');
    expect(text).toContain('A claim.¹');
    expect(text).toContain('Its reason.');
    expect(text).not.toContain('\ufffd');
    expect(text).not.toContain('[ ]');
  });

  it('have the letters of a paragraph on even lines, those of code as well', async () => {
    const markdown = Array.from({ length: 60 }, (_, index) => `word \`code_${index}\` **bold**`).join(' ');
    const pdf = await pages.pdf('org_a', reportOf(markdown));
    const { items } = await (await (await getDocumentProxy(new Uint8Array(pdf))).getPage(1)).getTextContent();
    const heights = items.flatMap((item) =>
      'str' in item && /^(word|code_\d+|bold)/.test(item.str.trim())
        ? [Math.round(Number(item.transform[5]) * 10)]
        : [],
    );
    const lines = [...new Set(heights)];
    const distances = new Set(lines.slice(1).map((height, at) => (lines[at] ?? 0) - height));
    expect(heights.length).toBeGreaterThan(100);
    expect(lines.length).toBeGreaterThan(5);
    expect(Math.max(...distances) - Math.min(...distances)).toBeLessThanOrEqual(1);
  });

  it('show pictures that a report holds, and go on where one is damaged or too large', async () => {
    const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const large = Buffer.from(dot, 'base64');
    large.writeUInt32BE(1_000_000, 16);
    large.writeUInt32BE(1_000_000, 20);
    const wrong = Buffer.from(dot, 'base64').fill(7, 43, 50);
    const pictures = [dot, dot.slice(0, 24), large.toString('base64'), wrong.toString('base64')].map(
      (data) => `![dot](data:image/png;base64,${data})`,
    );
    const pdf = await pages.pdf('org_a', reportOf(`${pictures.join('\n\n')}\n\nThe end.`));
    expect(pdf.includes('/Subtype /Image')).toBe(true);
    expect((await extractText(new Uint8Array(pdf))).text[0]).toMatch(/(?:\[dot\]\s+){2,3}The end\./);
  });

  it('are the same, byte for byte, of the same report', async () => {
    const report = reportOf('Some **text**.');
    expect((await pages.pdf('org_a', report)).equals(await pages.pdf('org_a', report))).toBe(true);
  });

  it.each([
    ['quotes in quotes', '>'.repeat(20_000)],
    ['lists in lists', Array.from({ length: 400 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n')],
    ['brackets', '['.repeat(60_000)],
    ['stars', '*a **b '.repeat(20_000)],
    ['open elements', '<b><i>'.repeat(20_000)],
    ['an endless word', 'x'.repeat(200_000)],
    ['many columns', `|${'a|'.repeat(2_000)}\n|${'-|'.repeat(2_000)}\n|${'b|'.repeat(2_000)}`],
  ])('end whatever the Markdown is: %s', async (_what, markdown) => {
    const brief = reportPages({ taskCpuMs: repetitions({ usual: 1_000, long: 3_000 }), taskTimeoutMs: 60_000 });
    for (const make of [brief.html, brief.pdf]) {
      const made = await make('org_a', reportOf(markdown)).then(
        (page) => page.length > 0,
        (error: unknown) => (error as { code?: string }).code === 'report_too_complex',
      );
      expect(made).toBe(true);
    }
    await brief.close();
  });

  it('are made or refused while their callers still wait', () => {
    const { operations } = loadContract(contentContract);
    const waits = operations.flatMap(({ id, deadlineMs }) =>
      /GetReport(Html|Pdf)$/.test(id) ? [deadlineMs ?? 0] : [],
    );
    expect(waits).toHaveLength(2);
    expect(Math.min(...waits)).toBeGreaterThan(RENDER_TIMEOUT_MS);
  });

  it('are given up where they take too long, and others are made after them', async () => {
    const hasty = reportPages({ taskCpuMs: 2_000, taskTimeoutMs: 60_000 });
    const endless = reportOf(
      `|${'a|'.repeat(9)}\n|${'-|'.repeat(9)}\n${`|${'many words '.repeat(20)}`.repeat(9)}|\n`.repeat(2_000),
    );
    await expect(hasty.pdf('org_a', endless)).rejects.toMatchObject({ code: 'report_too_complex' });
    const [text] = (await extractText(new Uint8Array(await hasty.pdf('org_a', reportOf('Something short.'))))).text;
    expect(text).toContain('Something short.');
    await hasty.close();
    await expect(hasty.pdf('org_a', reportOf('x'))).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('are unavailable on a machine that is too busy, and can be had later', async () => {
    const late = reportPages({ taskTimeoutMs: 1 });
    await expect(late.pdf('org_a', reportOf('x'))).rejects.toMatchObject({ kind: 'unavailable' });
    await late.close();
  });
});
