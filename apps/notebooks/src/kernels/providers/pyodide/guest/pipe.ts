import type { Socket } from 'node:net';

/** The pipe between a service and its guest: each piece has its length before it (4 bytes, little-endian). */

/** Longest piece. What the guest makes longer it has to cut itself. */
export const maxPieceBytes = 16 * 2 ** 20;

/** Resolves when the pipe has room again; a pipe that is gone has room for everything. */
export async function sendPiece(pipe: Socket, bytes: Uint8Array): Promise<void> {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  gather(pipe);
  pipe.write(length);
  const hasRoom = pipe.write(bytes);
  if (!hasRoom && !pipe.destroyed) {
    await new Promise<void>((resolve) => {
      const go = (): void => {
        pipe.off('drain', go).off('close', go);
        resolve();
      };
      pipe.on('drain', go).on('close', go);
    });
  }
}

/** What is sent together leaves together. */
function gather(pipe: Socket): void {
  if (gathering.has(pipe)) return;
  gathering.add(pipe);
  pipe.cork();
  setImmediate(() => {
    gathering.delete(pipe);
    pipe.uncork();
  });
}

const gathering = new WeakSet<Socket>();

/** Gives one piece after the other and reads on only when it was taken. Throws at a length that is none. */
export async function* piecesOf(pipe: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let kept: Buffer[] = [];
  let keptBytes = 0;
  let wanted: number | undefined;
  for await (const chunk of pipe) {
    kept.push(chunk);
    keptBytes += chunk.length;
    while (keptBytes >= (wanted ?? 4)) {
      let bytes = kept.length === 1 ? (kept[0] ?? Buffer.alloc(0)) : Buffer.concat(kept, keptBytes);
      if (wanted === undefined) {
        wanted = bytes.readUInt32LE(0);
        if (wanted > maxPieceBytes) throw new Error(`a piece of ${wanted} bytes`);
        bytes = bytes.subarray(4);
      } else {
        yield bytes.subarray(0, wanted);
        bytes = bytes.subarray(wanted);
        wanted = undefined;
      }
      kept = [bytes];
      keptBytes = bytes.length;
    }
  }
}
