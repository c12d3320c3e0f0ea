import { posix } from 'node:path';
import { Archive } from '../archive.ts';
import { oneLine } from '../clean-text.ts';
import type { DocumentText } from '../document-text.ts';
import { extractionFailures } from '../extraction-failures.ts';
import { limits } from '../limits.ts';
import { valuesIn } from '../open-package.ts';
import { readXml } from '../xml.ts';
import { readHtml } from './html.ts';

/** The chapters of a book in the order in which it is read; its pages are the reader's to make. */
export async function readEpub(bytes: Buffer): Promise<DocumentText> {
  const archive = await Archive.open(bytes);
  const [book = ''] = await valuesIn(archive, 'META-INF/container.xml', 'rootfile', 'full-path');
  const locked = await valuesIn(archive, 'META-INF/encryption.xml', 'CipherReference', 'URI');
  const { title, chapters } = await outlineOf(archive, book);
  const pages: string[] = [];
  const headings: string[] = [];
  let length = 0;
  for (const chapter of chapters) {
    // Typefaces are often kept so, and nothing of the text then.
    if (locked.has(chapter)) throw extractionFailures.encrypted();
    const read = readHtml(await textOf(archive, chapter));
    const [page = ''] = read.pages;
    length += page.length;
    if (length > limits.textLength) throw extractionFailures.tooMuch(`${limits.textLength} characters`);
    pages.push(page);
    headings.push(...(read.headings ?? []).slice(0, 200 - headings.length));
  }
  return { title: title ?? headings[0], headings, pages, hasPages: false };
}

async function outlineOf(archive: Archive, book: string) {
  const directory = posix.dirname(book);
  const parts = new Map<string, string>();
  const order: string[] = [];
  let title = '';
  let inTitle = false;
  await readXml(archive.read(book), {
    open: (name, { id, href, idref, 'media-type': type = '' }) => {
      if (name === 'title') inTitle = title === '';
      if (name === 'item' && id !== undefined && href !== undefined && /x?html/.test(type))
        parts.set(id, posix.join(directory, decodedPath(href)));
      if (name === 'itemref' && idref !== undefined) order.push(idref);
    },
    text: (content) => {
      if (inTitle && title.length < 1_000) title += content;
    },
    close: (name) => {
      if (name === 'title') inTitle = false;
    },
  });
  if (order.length > limits.pages) throw extractionFailures.tooMuch(`${limits.pages} chapters`);
  // One that is named twice is read once.
  const chapters = [...new Set(order)].flatMap((id) => parts.get(id) ?? []);
  return { title: oneLine(title) || undefined, chapters };
}

function decodedPath(href: string): string {
  try {
    return decodeURIComponent(href.split('#')[0] ?? '');
  } catch {
    return href;
  }
}

async function textOf(archive: Archive, part: string): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of archive.read(part)) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}
