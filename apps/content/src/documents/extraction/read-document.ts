import { splitPassages, toldHeadings, type PageSpan } from '../../passages/extraction/split-passages.ts';
import { countTokens } from '../../passages/extraction/tokens.ts';
import { ExtractionFailure, type Extracted, type FileToExtract } from '../domain/extraction.ts';
import { cleanText, oneLine } from './clean-text.ts';
import { describe } from './description.ts';
import type { DocumentText } from './document-text.ts';
import { extractionFailures } from './extraction-failures.ts';
import { languageOf } from './language.ts';
import { LEGIBLE } from './legible.ts';
import { limits } from './limits.ts';
import { MAX_MAIL_DEPTH, type ReadAttachment } from './mail-text.ts';
import type { ReadPictures } from './pictures.ts';
import { encodingOf, formatOf, mediaTypeOf, mediaTypes, type Format } from './sniff.ts';

export interface ReadContext {
  /** Hears what the bytes are before they are read. */
  readonly recognised: (mediaType: string) => void;
  /** Media types of files of which `readPictures` knows the text. */
  readonly ocr: readonly string[];
  readonly readPictures: ReadPictures;
}

const alone: ReadContext = {
  recognised: () => undefined,
  ocr: [],
  readPictures: (pictures) => Promise.resolve(pictures.map(() => '')),
};

/**
 * Reads the bytes of a document, in the process that was started for it. Throws an `ExtractionFailure`, whatever they are.
 */
export async function readDocument(
  bytes: Buffer,
  claimed: Pick<FileToExtract, 'name' | 'declaredType'>,
  { recognised, ocr, readPictures }: ReadContext = alone,
): Promise<Extracted> {
  if (bytes.length === 0) throw extractionFailures.emptyFile();
  let mediaType: string | undefined;
  try {
    const format = await formatOf(bytes, claimed, ocr);
    mediaType = mediaTypes[format];
    recognised(mediaType);
    const isOcr = ocr.includes(mediaType);
    const read = isOcr ? pictureReaders[format] : undefined;
    return await extracted(format, await (read ? read(bytes, readPictures) : readers[format](bytes, 1)), isOcr);
  } catch (error) {
    throw failureOf(error).of(mediaType ?? (await mediaTypeOf(bytes)));
  }
}

function failureOf(error: unknown): ExtractionFailure {
  if (error instanceof ExtractionFailure) return error;
  if (error instanceof RangeError && error.message.includes('call stack')) return extractionFailures.tooDeep();
  // What a library cannot read is not what it should be, whatever the library calls that.
  return extractionFailures.damaged(error);
}

/** `depth` is how many documents it stands in, itself the last: of messages that hold messages. */
type Reader = (bytes: Buffer, depth: number) => Promise<DocumentText>;

/** What is attached to a message is read by whatever reads such files. */
const attachmentsAt =
  (depth: number): ReadAttachment =>
  async ({ bytes, name, declaredType }) => {
    if (depth >= MAX_MAIL_DEPTH) throw extractionFailures.tooDeep();
    const claimed = { name, ...(declaredType !== undefined && { declaredType }) };
    return readers[await formatOf(bytes, claimed)](bytes, depth + 1);
  };

/** Loads all that any document needs. */
export async function loadReaders(): Promise<void> {
  await Promise.all([languageOf('any'), ...Object.values(formats).map((load) => load())]);
  countTokens('any');
}

/** Each is loaded when a document of its kind comes. */
const formats = {
  pdf: () => import('./formats/pdf.ts'),
  docx: () => import('./formats/docx.ts'),
  xlsx: () => import('./formats/xlsx.ts'),
  pptx: () => import('./formats/pptx.ts'),
  odt: () => import('./formats/odt.ts'),
  epub: () => import('./formats/epub.ts'),
  rtf: () => import('./formats/rtf.ts'),
  json: () => import('./formats/json.ts'),
  email: () => import('./formats/email.ts'),
  msg: () => import('./formats/msg.ts'),
  html: () => import('./formats/html.ts'),
  xml: () => import('./formats/xml.ts'),
  csv: () => import('./formats/csv.ts'),
  picture: () => import('./formats/picture.ts'),
  plain: () => import('./formats/plain.ts'),
};

const noPictures: Reader = () => Promise.reject(extractionFailures.unsupported('A picture'));

const readers: Readonly<Record<Format, Reader>> = {
  pdf: async (bytes) => (await formats.pdf()).readPdf(bytes),
  docx: async (bytes) => (await formats.docx()).readDocx(bytes),
  xlsx: async (bytes) => (await formats.xlsx()).readXlsx(bytes),
  pptx: async (bytes) => (await formats.pptx()).readPptx(bytes),
  odt: async (bytes) => (await formats.odt()).readOdt(bytes),
  epub: async (bytes) => (await formats.epub()).readEpub(bytes),
  rtf: async (bytes) => (await formats.rtf()).readRtf(bytes),
  json: async (bytes) => (await formats.json()).readJson(decoded(bytes)),
  jsonl: async (bytes) => (await formats.json()).readJsonLines(decoded(bytes)),
  email: async (bytes, depth) => (await formats.email()).readEmail(bytes, attachmentsAt(depth)),
  msg: async (bytes, depth) => (await formats.msg()).readMsg(bytes, attachmentsAt(depth)),
  xml: async (bytes) => (await formats.xml()).readXmlText(bytes),
  html: async (bytes) => (await formats.html()).readHtml(decoded(bytes)),
  csv: async (bytes) => (await formats.csv()).readCsv(decoded(bytes)),
  markdown: async (bytes) => (await formats.plain()).readMarkdown(decoded(bytes)),
  text: async (bytes) => (await formats.plain()).readPlain(decoded(bytes)),
  png: noPictures,
  jpeg: noPictures,
  tiff: noPictures,
  webp: noPictures,
};

type PictureReader = (bytes: Buffer, readPictures: ReadPictures) => Promise<DocumentText>;

const readPicture: PictureReader = async (bytes, readPictures) =>
  (await formats.picture()).readPicture(bytes, readPictures);

/** Where somebody reads pictures. What is attached to messages is read without. */
const pictureReaders: Readonly<Partial<Record<Format, PictureReader>>> = {
  pdf: async (bytes, readPictures) => (await formats.pdf()).readPdf(bytes, readPictures),
  png: readPicture,
  jpeg: readPicture,
  tiff: readPicture,
  webp: readPicture,
};

function decoded(bytes: Buffer): string {
  const text = new TextDecoder(encodingOf(bytes) ?? 'utf-8').decode(bytes);
  // Marks of a format take room as well, but not several times that of the text.
  if (text.length > 8 * limits.textLength) throw extractionFailures.tooMuch(`${limits.textLength} characters`);
  return text;
}

async function extracted(format: Format, document: DocumentText, isOcr: boolean): Promise<Extracted> {
  const { text, spans, pagesWithoutText } = joined(document);
  if (text.length > limits.textLength) throw extractionFailures.tooMuch(`${limits.textLength} characters`);
  if (!LEGIBLE.test(text)) throw withoutText(format, isOcr);
  const language = await languageOf(text);
  const { short, detailed } = describe(text, document);
  const title = document.title === undefined ? '' : oneLine(cleanText(document.title)).slice(0, 1_000).toWellFormed();
  return {
    mediaType: mediaTypes[format],
    ...(document.hasPages && { pages: document.pages.length }),
    ...((format === 'pdf' || isOcr) && { pagesWithoutText }),
    ...(title !== '' && { title }),
    text,
    ...(language !== undefined && { language }),
    numTokens: countTokens(text),
    description: short,
    detailedDescription: detailed,
    passages: [...splitPassages(text, spans, toldHeadings(document.headings))],
  };
}

function withoutText(format: Format, isOcr: boolean): ExtractionFailure {
  if (isOcr) return extractionFailures.nothingRecognised();
  return format === 'pdf' ? extractionFailures.onlyPictures() : extractionFailures.noText();
}

/** The pages one after the other, and where each of them stands. */
function joined({ pages, hasPages }: DocumentText): {
  readonly text: string;
  readonly spans: PageSpan[];
  readonly pagesWithoutText: number[];
} {
  const pagesWithoutText: number[] = [];
  const spans: PageSpan[] = [];
  const texts: string[] = [];
  let start = 0;
  pages.forEach((page, index) => {
    const text = cleanText(page);
    if (!LEGIBLE.test(text)) pagesWithoutText.push(index + 1);
    if (text === '') return;
    spans.push({ ...(hasPages && { page: index + 1 }), start, end: start + text.length });
    texts.push(text);
    start += text.length + 2;
  });
  return { text: texts.join('\n\n'), spans, pagesWithoutText };
}
