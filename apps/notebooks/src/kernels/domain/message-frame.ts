import type { Channel, KernelMessage } from './kernel-provider.ts';

/**
 * The binary form of one message, `v1.kernel.websocket.jupyter.org`: a little-endian count of offsets, the offsets (8
 * bytes each, from the start of the frame), then the channel, the four JSON texts and the buffers, one after the other.
 * Guests read this file too, from where it lies.
 */

/** Of one message, in whatever form it travels. */
export const MAX_BUFFERS = 64;
/** The channel and the four texts. */
const minParts = 5;
const maxParts = minParts + MAX_BUFFERS;
const channels: readonly string[] = ['shell', 'control', 'iopub', 'stdin'] satisfies Channel[];

/** Bytes that are no frame. They come from clients and guests, so whoever reads them ends that connection. */
export class FrameError extends Error {}

export function encodeFrame({ channel, header, parentHeader, metadata, content, buffers }: KernelMessage): Buffer {
  const parts = [Buffer.from(channel), header, parentHeader, metadata, content, ...buffers];
  const table = Buffer.alloc(8 * (parts.length + 2));
  table.writeUInt32LE(parts.length + 1, 0);
  let offset = table.length;
  for (const [index, part] of parts.entries()) {
    writeOffset(table, index + 1, offset);
    offset += part.length;
  }
  writeOffset(table, parts.length + 1, offset);
  return Buffer.concat([table, ...parts], offset);
}

/** The parts lie in the memory of the frame. */
export function decodeFrame(frame: Uint8Array): KernelMessage {
  const bytes = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
  if (bytes.length < 8) throw new FrameError('too short');
  const offsets = readOffset(bytes, 0);
  if (offsets < minParts + 1 || offsets > maxParts + 1) throw new FrameError(`${offsets} offsets`);
  const tableEnd = 8 * (offsets + 1);
  if (bytes.length < tableEnd) throw new FrameError('too short for its offsets');
  const parts: Buffer[] = [];
  let start = readOffset(bytes, 1);
  if (start < tableEnd) throw new FrameError('parts inside of the offsets');
  for (let index = 2; index <= offsets; index += 1) {
    const end = readOffset(bytes, index);
    if (end < start || end > bytes.length) throw new FrameError('offsets out of order');
    parts.push(bytes.subarray(start, end));
    start = end;
  }
  const [name, header, parentHeader, metadata, content, ...buffers] = parts;
  const channel = name?.toString('latin1') ?? '';
  if (!header || !parentHeader || !metadata || !content || !isChannel(channel)) throw new FrameError('no such channel');
  return { channel, header, parentHeader, metadata, content, buffers };
}

const isChannel = (name: string): name is Channel => channels.includes(name);

/** Frames are far below 4 GB, so the upper halves are zero. */
function writeOffset(table: Buffer, position: number, offset: number): void {
  table.writeUInt32LE(offset, 8 * position);
}

function readOffset(bytes: Buffer, position: number): number {
  if (bytes.readUInt32LE(8 * position + 4) !== 0) throw new FrameError('an offset beyond the frame');
  return bytes.readUInt32LE(8 * position);
}
