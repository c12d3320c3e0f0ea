import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readerHome } from '../../../test/test-sandbox.ts';
import { documentReaders, type ReadersOptions } from '../extraction/document-readers.ts';
import { startReader } from '../extraction/reader.ts';
import { docx, docxParagraph, pdf } from './document-files.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'readers-'));
});
afterAll(() => rm(directory, { recursive: true }));

async function file(name: string, content: Buffer | string) {
  const path = join(directory, name);
  await writeFile(path, content);
  return { path, name };
}

async function withReaders<T>(
  options: Partial<ReadersOptions>,
  work: (extract: ReturnType<typeof documentReaders>['extract'], close: () => void) => Promise<T>,
): Promise<T> {
  const { extract, close } = documentReaders(readerHome, options);
  try {
    return await work(extract, close);
  } finally {
    close();
  }
}

const calm = () => ({ organisationId: 'any', signal: new AbortController().signal });
/** Every end of what never began is looked for in all that is open. */
const endless = '<div>'.repeat(400_000) + '</b>'.repeat(100_000);
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** Its parts all stand in memory at once. */
const intricate = docx(docxParagraph('x').repeat(100_000));

describe('documents that are read in processes of their own', () => {
  it('are read many at a time, all of each', async () => {
    const sentence = 'The committee has decided to go on as before, and to meet again. ';
    const long = await file('long.txt', `${sentence.repeat(20_000)}\u{1f600}`);
    const short = await file('short.pdf', await pdf(['One page.']));
    await withReaders({ processes: 2 }, async (extract) => {
      const all = await Promise.all([long, short, long, short].map((one) => extract(one, calm())));
      expect(all.map(({ mediaType }) => mediaType.split('/')[1])).toEqual(['plain', 'pdf', 'plain', 'pdf']);
      const { text, passages } = all[0] ?? { text: '', passages: [] };
      expect(text).toHaveLength(sentence.length * 20_000 + 2);
      expect(passages.length).toBeGreaterThan(500);
      expect(passages.every(({ start, end, text: passage }) => text.slice(start, end) === passage)).toBe(true);
    });
  });

  it('fail at once where their process has ended before', async () => {
    const late = await file('late.txt', 'Too late.');
    const reader = startReader(await readerHome(), { deadlineMs: 60_000, heapMegabytes: 512, memoryMegabytes: 1_024 });
    reader.end();
    await expect(reader.read(late, calm())).rejects.toMatchObject({ code: 'reader_failed', canRetry: true });
  });

  it('that take too long or too much memory end, and others are read after them', async () => {
    const endlessFile = await file('endless.html', `<html>${endless}`);
    const intricateFile = await file('intricate.docx', intricate);
    const good = await file('good.txt', 'Good news for everybody.');
    const pictured = await file('pictured.rtf', `{\\rtf1 Seen.{\\pict ${'89504e470d0a1a0a'.repeat(500_000)}}}`);
    await withReaders({ processes: 1, deadlineMs: 1 }, async (extract) => {
      await expect(extract(endlessFile, calm())).rejects.toMatchObject({ code: 'too_slow', canRetry: true });
    });
    await withReaders({ processes: 1, heapMegabytes: 64 }, async (extract) => {
      await expect(extract(intricateFile, calm())).rejects.toMatchObject({
        code: 'too_complex',
        canRetry: false,
        mediaType: DOCX,
      });
      expect((await extract(good, calm())).text).toBe('Good news for everybody.');
      expect((await extract(pictured, calm())).text).toBe('Seen.');
    });
    await withReaders({ processes: 1, memoryMegabytes: 20 }, async (extract) => {
      await expect(extract(endlessFile, calm())).rejects.toMatchObject({ code: 'too_complex' });
    });
  });

  it.each([
    ['many comments before a heading', 'comments.md', `${'<!-- a note -->\n'.repeat(60)}# Travel`, 'Travel'],
    [
      'many comments of a record',
      'comments.xml',
      `<?xml version="1.0"?>${'<!---->'.repeat(60)}<a>Travel</a>`,
      'Travel',
    ],
    ['a long run of spaces and tabs', 'gap.txt', `From${' \t'.repeat(200_000)}to`, 'to'],
    ['a heading with a long gap', 'heading.md', `#${' '.repeat(20_000)}${'b'.repeat(600)}\nTravel`, 'Travel'],
  ])('are read in their time with %s', async (_what, name, content, said) => {
    const read = await withReaders({ deadlineMs: 30_000 }, async (extract) =>
      extract(await file(name, content), calm()),
    );
    expect(read.text).toContain(said);
  });

  it('are not blamed for what others have left in their process: they are read once more in a fresh one', async () => {
    const module = fileURLToPath(new URL('worn-out-reader.ts', import.meta.url));
    const wearingOut = async () => ({ ...(await readerHome()), module });
    const { extract, close } = documentReaders(wearingOut, { processes: 1 });
    try {
      for (const name of ['one.txt', 'two.txt', 'three.txt'])
        expect((await extract(await file(name, `This is ${name}.`), calm())).text).toBe(`This is ${name}.`);
    } finally {
      close();
    }
  });

  it('end as soon as nobody wants them any more', async () => {
    const endlessFile = await file('endless.html', `<html>${endless}`);
    await withReaders({ processes: 1 }, async (extract) => {
      const [first, second] = [new AbortController(), new AbortController()];
      const read = extract(endlessFile, { organisationId: 'any', signal: first.signal });
      const waits = extract(endlessFile, { organisationId: 'any', signal: second.signal });
      second.abort(new Error('not wanted'));
      await expect(waits).rejects.toThrow('not wanted');
      first.abort(new Error('not wanted either'));
      await expect(read).rejects.toThrow('not wanted either');
    });
  });

  it('are refused when too many wait, and when the service stops', async () => {
    const endlessFile = await file('endless.html', `<html>${endless}`);
    await withReaders({ processes: 1, maxWaiting: 1 }, async (extract, close) => {
      const all = [1, 2, 3].map(() => extract(endlessFile, calm()).catch((error: unknown) => error));
      expect(await all[2]).toMatchObject({ code: 'busy', canRetry: true });
      close();
      expect(await Promise.all(all)).toMatchObject([{ code: 'busy' }, { code: 'busy' }, { code: 'busy' }]);
    });
  });

  it('that are empty or too large are not even begun', async () => {
    const empty = await file('empty.txt', '');
    await withReaders({}, async (extract) => {
      await expect(extract(empty, calm())).rejects.toMatchObject({ code: 'empty_file' });
    });
  });
});
