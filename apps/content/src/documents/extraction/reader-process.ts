/**
 * A process that reads one document after the other, of one organisation. It may not write, run or open anything but its own
 * code, and opens no connection: the bytes of a document come through the pipe of its messages.
 */
import { Socket } from 'node:net';
import { ExtractionFailure, type Extracted } from '../domain/extraction.ts';
import type { PictureOfPage } from '../domain/ocr.ts';
import { frameOf, nextFrame, takeBytes } from './frames.ts';
import {
  PASSAGES_PIECE,
  READER_PIPE,
  REPORT_BYTES,
  TEXT_PIECE,
  type PassageRow,
  type PictureRow,
  type PictureText,
  type ReadCommand,
  type ReadReport,
} from './messages.ts';
import { loadReaders, readDocument } from './read-document.ts';

const pipe = new Socket({ fd: READER_PIPE, readable: true, writable: true });
// No library that is used here does it. Should one of them be made to, it ends there.
Socket.prototype.connect = () => {
  throw new Error('a reader of documents opens no connection');
};
Reflect.deleteProperty(globalThis, 'fetch');
Reflect.deleteProperty(globalThis, 'WebSocket');

/** A name and a media type as the contract has them, several times over. */
const COMMAND_BYTES = 64 * 1024;

pipe.on('error', () => process.exit());
for (;;) {
  const command = (await nextFrame(pipe, COMMAND_BYTES)) as ReadCommand | undefined;
  // Whoever would want a document read is gone.
  if (command === undefined) process.exit();
  if (command === 'load') {
    await loadReaders();
    await send({ kind: 'loaded' });
    continue;
  }
  const bytes = await takeBytes(pipe, command.bytes);
  if (!bytes) process.exit();
  await read(bytes, command);
}

async function read(bytes: Buffer, claimed: Exclude<ReadCommand, 'load'>): Promise<void> {
  try {
    const { name, declaredType, ocr } = claimed;
    const file = { name, ...(declaredType !== undefined && { declaredType }) };
    const recognised = (mediaType: string) => void send({ kind: 'recognised', mediaType });
    await tell(await readDocument(bytes, file, { recognised, ocr, readPictures }));
  } catch (error) {
    if (!(error instanceof ExtractionFailure)) throw error;
    const { code, message, canRetry, mediaType } = error;
    const cause = error.cause instanceof Error ? error.cause.message.slice(0, 2_000) : '';
    await send({ kind: 'failed', code, message, canRetry, mediaType, cause });
  }
}

/** By the service, which has the file. */
async function readPictures(pictures: readonly PictureOfPage[]): Promise<readonly string[]> {
  await send({ kind: 'pictures', pages: pictures.map(({ page, width, height }): PictureRow => [page, width, height]) });
  const texts: string[] = [];
  while (texts.length < pictures.length) {
    const read = (await nextFrame(pipe, REPORT_BYTES)) as PictureText | undefined;
    if (read === undefined) process.exit();
    texts.push(read.text);
  }
  return texts;
}

async function tell({ text, passages, ...facts }: Extracted): Promise<void> {
  for (let start = 0; start < text.length; start += TEXT_PIECE) {
    await send({ kind: 'text', text: text.slice(start, start + TEXT_PIECE) });
  }
  for (let start = 0; start < passages.length; start += PASSAGES_PIECE) {
    const rows = passages
      .slice(start, start + PASSAGES_PIECE)
      .map(({ start: from, end, page = 0, heading = '' }): PassageRow => [from, end, page, heading]);
    await send({ kind: 'passages', rows });
  }
  await send({ kind: 'done', facts });
}

/** At the pace of the service. */
async function send(report: ReadReport): Promise<void> {
  await new Promise((resolve) => pipe.write(frameOf(report), resolve));
}
