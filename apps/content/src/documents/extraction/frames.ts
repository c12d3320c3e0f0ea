import type { Readable } from 'node:stream';

/**
 * Messages on a plain pipe: the length in four bytes, and JSON. Unlike on a channel of Node's own no more is taken than may come,
 * whatever the other side sends.
 */
export function frameOf(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + body.length);
  frame.writeUInt32LE(body.length, 0);
  frame.set(body, LENGTH_BYTES);
  return frame;
}

/** The next message; undefined at the end. Throws at one that is longer than may be. */
export async function nextFrame(pipe: Readable, maxBytes: number): Promise<unknown> {
  const head = await takeBytes(pipe, LENGTH_BYTES);
  if (!head) return undefined;
  const length = head.readUInt32LE(0);
  if (length > maxBytes) throw new Error(`a message of ${length} bytes is longer than ${maxBytes}`);
  const body = await takeBytes(pipe, length);
  return body && (JSON.parse(body.toString()) as unknown);
}

/** So many bytes of what comes, piece by piece; undefined where it ends before. */
export async function takeBytes(pipe: Readable, length: number): Promise<Buffer | undefined> {
  const all = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length;) {
    const piece = pipe.read(Math.min(length - filled, pipe.readableLength || 1)) as Buffer | null;
    if (piece) filled += piece.copy(all, filled);
    else if (pipe.readableEnded || pipe.destroyed || !(await somethingCame(pipe))) return undefined;
  }
  return all;
}

/** False: nothing comes any more. */
function somethingCame(pipe: Readable): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const came = (): void => resolve(true);
  const ended = (): void => resolve(false);
  pipe.once('readable', came).once('end', ended).once('close', ended);
  return promise.finally(() => pipe.off('readable', came).off('end', ended).off('close', ended));
}

const LENGTH_BYTES = 4;
