import { getDocumentProxy } from 'unpdf';
import type { PictureOfPage } from '../../domain/ocr.ts';
import { TextPieces, type DocumentText } from '../document-text.ts';
import { extractionFailures } from '../extraction-failures.ts';
import { LEGIBLE } from '../legible.ts';
import { limits } from '../limits.ts';
import type { ReadPictures } from '../pictures.ts';

/** Pages without a text are those that `readPictures` has, where there is somebody who reads pictures. */
export async function readPdf(bytes: Buffer, readPictures?: ReadPictures): Promise<DocumentText> {
  const document = await opened(bytes);
  if (document.numPages > limits.pages) throw extractionFailures.tooMuch(`${limits.pages} pages`);
  const pages: string[] = [];
  const pictures: PictureOfPage[] = [];
  let length = 0;
  // One after the other: a page is large while it is read.
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = pageText(items.filter((item) => 'str' in item));
    const { width, height } = page.getViewport({ scale: 1 });
    page.cleanup();
    if (!LEGIBLE.test(text)) pictures.push({ page: number, ...{ width: Math.ceil(width), height: Math.ceil(height) } });
    length += text.length;
    if (length > limits.textLength) throw extractionFailures.tooMuch(`${limits.textLength} characters`);
    pages.push(text);
  }
  if (readPictures && pictures.length > 0) {
    const texts = await readPictures(pictures);
    for (const [at, { page }] of pictures.entries()) pages[page - 1] = texts[at] ?? '';
  } else if (length === 0) throw extractionFailures.onlyPictures();
  return { title: await titleOf(document), pages, hasPages: true };
}

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

async function opened(bytes: Buffer): Promise<PdfDocument> {
  try {
    return await getDocumentProxy(new Uint8Array(bytes), {
      // It asks for nothing that is not in the file, runs none of it, and leaves the pictures alone.
      disableFontFace: true,
      enableXfa: false,
      maxImageSize: 1,
      stopAtErrors: false,
      useSystemFonts: false,
      useWorkerFetch: false,
      verbosity: 0,
    });
  } catch (error) {
    throw error instanceof Error && error.name === 'PasswordException' ? extractionFailures.encrypted() : error;
  }
}

interface Item {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly height: number;
  readonly transform: readonly unknown[];
}

/** Lines as they are printed, and an empty one where the next stands further below than lines of a paragraph do. */
function pageText(items: readonly Item[]): string {
  const text = new TextPieces();
  let previous: { y: number; height: number } | undefined;
  let ended = false;
  for (const { str, hasEOL, height, transform } of items) {
    const y = Number(transform[5]);
    if (str.trim() !== '') {
      if (ended && previous) text.add(previous.y - y > 1.7 * Math.max(previous.height, height) ? '\n\n' : '\n');
      ended = false;
      previous = { y, height };
    }
    if (!ended) text.add(str);
    if (hasEOL && previous) ended = true;
  }
  return text.toString();
}

async function titleOf(document: PdfDocument): Promise<string | undefined> {
  const { info } = await document.getMetadata();
  const title = 'Title' in info && typeof info.Title === 'string' ? info.Title.trim() : '';
  // Many programs write the name of the file there.
  return title === '' || title.length > 500 || /^untitled$|\.\w{2,5}$|^microsoft \w+ - /i.test(title)
    ? undefined
    : title;
}
