import { fileTypeFromBuffer } from 'file-type';
import { extname } from 'node:path';
import type { FileToExtract } from '../domain/extraction.ts';
import { Archive } from './archive.ts';
import { extractionFailures } from './extraction-failures.ts';
import { mainPartOf } from './office-package.ts';
import { declaredTypeOf } from './open-package.ts';

export type Format = 'msg' | 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'odt' | 'epub' | 'rtf' | PictureFormat | TextFormat;
type PictureFormat = 'png' | 'jpeg' | 'tiff' | 'webp';
type TextFormat = 'html' | 'markdown' | 'csv' | 'json' | 'jsonl' | 'text' | 'email' | 'xml';

export const mediaTypes: Readonly<Record<Format, string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  epub: 'application/epub+zip',
  rtf: 'application/rtf',
  html: 'text/html',
  json: 'application/json',
  jsonl: 'application/jsonl',
  markdown: 'text/markdown',
  csv: 'text/csv',
  text: 'text/plain',
  email: 'message/rfc822',
  msg: 'application/vnd.ms-outlook',
  xml: 'application/xml',
  png: 'image/png',
  jpeg: 'image/jpeg',
  tiff: 'image/tiff',
  webp: 'image/webp',
};

const pictureFormats: readonly PictureFormat[] = ['png', 'jpeg', 'tiff', 'webp'];

/**
 * What the bytes are. Of formats of plain text, which look the same, the name and then the claimed type decide. Pictures are what
 * cannot be read, but for those of these media types.
 */
export async function formatOf(
  bytes: Buffer,
  claimed: Pick<FileToExtract, 'name' | 'declaredType'>,
  pictures: readonly string[] = [],
): Promise<Format> {
  if (bytes.subarray(0, 1024).includes('%PDF-')) return 'pdf';
  if (bytes.subarray(0, 8).equals(compoundFile)) {
    if (bytes.includes(outlookMessage)) return 'msg';
    throw bytes.includes(encryptedPackage) ? extractionFailures.encrypted() : extractionFailures.legacyOffice();
  }
  if (bytes.subarray(0, 4).equals(zipFile)) return officeFormat(bytes);
  if (bytes.subarray(0, 5).equals(richText)) return 'rtf';
  const known = await knownTypeOf(bytes);
  const picture = pictureFormats.find((format) => mediaTypes[format] === known);
  if (picture !== undefined && pictures.includes(mediaTypes[picture])) return picture;
  // What begins like XML is text; what kind of it, we know better.
  if (known !== undefined && known !== 'application/xml')
    throw extractionFailures.unsupported(`A file of the type ${known}`);
  const start = decodedStart(bytes);
  if (start === undefined) throw extractionFailures.unsupported('A file of this type');
  return textFormat(start, claimed);
}

/** Of bytes that are in no format that can be read, as far as their beginning tells. */
export async function mediaTypeOf(bytes: Buffer): Promise<string> {
  return (await knownTypeOf(bytes)) ?? 'application/octet-stream';
}

/** Of formats that have a beginning of their own. A TIFF says what it has at its end, so the library does not know it by its beginning. */
async function knownTypeOf(bytes: Buffer): Promise<string | undefined> {
  if (tiffFiles.some((start) => bytes.subarray(0, 4).equals(start))) return mediaTypes.tiff;
  return (await fileTypeFromBuffer(bytes.subarray(0, 4_100)).catch(() => undefined))?.mime;
}

const tiffFiles = [Buffer.from('II*\0', 'latin1'), Buffer.from('MM\0*', 'latin1')];

const richText = Buffer.from('{\\rtf', 'latin1');
const zipFile = Buffer.from('PK\u0003\u0004', 'latin1');
/** Messages of Outlook, Office files of before 2007, and encrypted ones of today. */
const compoundFile = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const outlookMessage = Buffer.from('__properties_version1.0', 'utf16le');
const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le');

async function officeFormat(bytes: Buffer): Promise<Format> {
  const archive = await Archive.open(bytes);
  const declared = await declaredTypeOf(archive);
  if (declared === mediaTypes.odt) return 'odt';
  if (declared === mediaTypes.epub) return 'epub';
  const main = await mainPartOf(archive);
  if (!main) throw extractionFailures.unsupported('A zip archive of another kind than an Office file');
  const type = main.contentType.toLowerCase();
  if (/wordprocessingml|ms-word/.test(type)) return 'docx';
  if (/presentationml|ms-powerpoint/.test(type)) return 'pptx';
  if (/spreadsheetml|ms-excel\.(?:sheet|template)\.macroenabled/.test(type)) return 'xlsx';
  throw extractionFailures.unsupported('An Office file of this type');
}

/** The encoding of a text: what its first bytes say, else UTF-8, else the usual one of Windows. Undefined: no text. */
export function encodingOf(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const start = bytes.subarray(0, 64 * 1024);
  if (start.filter((byte) => byte < 32 && ![9, 10, 12, 13, 27].includes(byte)).length > start.length / 500)
    return undefined;
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252';
}

function isUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function decodedStart(bytes: Buffer): string | undefined {
  const encoding = encodingOf(bytes);
  return encoding === undefined ? undefined : new TextDecoder(encoding).decode(bytes.subarray(0, 16 * 1024));
}

/** Each comment in one way alone: one that could be read as several takes twice as long for each of them. */
const PAGE = /^\s*(?:<\?xml[^>]*>\s*|<!--(?:[^-]|-(?!->))*-->\s*)*<(?:!doctype\s+html|html)[\s>]/i;

function textFormat(start: string, { name, declaredType }: Pick<FileToExtract, 'name' | 'declaredType'>): TextFormat {
  if (PAGE.test(start)) return 'html';
  const named = byExtension[extname(name).toLowerCase()] ?? byType[declaredType?.split(';')[0]?.trim() ?? ''];
  if (named === 'html' && !/<[a-z!]/i.test(start)) return 'text';
  if ((named ?? 'xml') === 'xml' && /^\ufeff?\s*<\?xml[\s?]/.test(start)) return 'xml';
  if (named === 'xml') return /^\ufeff?\s*</.test(start) ? 'xml' : 'text';
  if (named === 'email' || named === undefined) return hasMailHeaders(start) ? 'email' : 'text';
  return named;
}

const byExtension: Readonly<Record<string, TextFormat>> = {
  '.html': 'html',
  '.htm': 'html',
  '.xhtml': 'html',
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.csv': 'csv',
  '.json': 'json',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.tsv': 'csv',
  '.txt': 'text',
  '.text': 'text',
  '.log': 'text',
  '.eml': 'email',
  '.xml': 'xml',
};

const byType: Readonly<Record<string, TextFormat>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/markdown': 'markdown',
  'text/csv': 'csv',
  'application/json': 'json',
  'application/jsonl': 'jsonl',
  'application/x-ndjson': 'jsonl',
  'text/tab-separated-values': 'csv',
  'message/rfc822': 'email',
  'application/xml': 'xml',
  'text/xml': 'xml',
};

/** A block of header fields, two of which every message has. */
function hasMailHeaders(start: string): boolean {
  const [head = ''] = start.split(/\r?\n\r?\n/, 1);
  if (!/^[!-9;-~]+:/.test(head)) return false;
  const fields = new Set(Array.from(head.matchAll(/^([!-9;-~]+):/gm), ([, name = '']) => name.toLowerCase()));
  return (
    ['from', 'to', 'subject', 'date', 'received', 'message-id', 'mime-version'].filter((name) => fields.has(name))
      .length >= 2
  );
}
