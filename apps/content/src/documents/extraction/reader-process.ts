/**
 * A process that reads one document after the other. It may not write, run or open anything but its own code, and opens no
 * connection: the bytes of a document come through a pipe.
 */
import { Socket } from 'node:net';
import { ExtractionFailure, type Extracted } from '../domain/extraction.ts';
import { bytesDescriptor, type PassageRow, type ReadCommand, type ReadReport } from './messages.ts';
import { readDocument } from './read-document.ts';

const pipe = new Socket({ fd: bytesDescriptor, readable: true, writable: false });
// No library that is used here does it. Should one of them be made to, it ends there.
Socket.prototype.connect = () => {
  throw new Error('a reader of documents opens no connection');
};
Reflect.deleteProperty(globalThis, 'fetch');
Reflect.deleteProperty(globalThis, 'WebSocket');

const textPiece = 256 * 1024;
const passagesPiece = 1_000;

process.on('message', (command: ReadCommand) => void read(command));
process.on('disconnect', () => process.exit(0));

async function read({ bytes, ...claimed }: ReadCommand): Promise<void> {
  try {
    const recognised = (mediaType: string) => void send({ kind: 'recognised', mediaType }).catch(ignore);
    await tell(await readDocument(await received(bytes), claimed, recognised));
  } catch (error) {
    if (!(error instanceof ExtractionFailure)) throw error;
    const { code, message, canRetry, mediaType } = error;
    const cause = error.cause instanceof Error ? error.cause.message : '';
    await send({ kind: 'failed', code, message, canRetry, mediaType, cause });
  }
}

async function received(length: number): Promise<Buffer> {
  const all = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const chunk = pipe.read(Math.min(length - filled, pipe.readableLength || 1)) as Buffer | null;
    if (chunk) filled += chunk.copy(all, filled);
    else await new Promise((resolve) => pipe.once('readable', resolve));
  }
  return all;
}

async function tell({ text, passages, ...facts }: Extracted): Promise<void> {
  for (let start = 0; start < text.length; start += textPiece) {
    await send({ kind: 'text', text: text.slice(start, start + textPiece) });
  }
  for (let start = 0; start < passages.length; start += passagesPiece) {
    const rows = passages
      .slice(start, start + passagesPiece)
      .map((passage): PassageRow => [passage.start, passage.end, passage.page]);
    await send({ kind: 'passages', rows });
  }
  await send({ kind: 'done', facts });
}

const send = (report: ReadReport): Promise<void> =>
  new Promise((resolve, reject) => {
    process.send?.(report, (error: Error | null) => (error ? reject(error) : resolve()));
  });

/** Whoever is gone hears nothing more. */
const ignore = (): void => undefined;
