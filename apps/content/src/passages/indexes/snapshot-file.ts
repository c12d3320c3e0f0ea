import { randomUUID } from 'node:crypto';
import { closeSync, fsync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import type { Part, PassageBudgets } from './index-parts.ts';

/** What a snapshot is of. */
export interface SnapshotOf {
  readonly organisationId: string;
  readonly part: Part;
  readonly model: string;
  readonly budgets: PassageBudgets;
}

export interface SnapshotHeader extends SnapshotOf {
  /** By which code, see `madeBy`. */
  readonly made: string;
  /** All changes before it are in it; milliseconds since 1970. */
  readonly position: number;
}

/** Each in pieces, one behind the other; a piece is read before the next one is asked for. */
export type SnapshotParts = Readonly<Record<string, Iterable<Uint8Array>>>;

export interface Snapshot {
  readonly header: SnapshotHeader;
  /** @throws where there is no such part. */
  readonly part: (name: string) => Uint8Array<ArrayBuffer>;
}

interface StoredHeader extends SnapshotHeader {
  readonly parts: Readonly<Record<string, readonly [from: number, bytes: number]>>;
}

/** The file ends with where its header is, how long that is, and a sum of all before. */
const END = { from: 0, bytes: 8, sum: 12, size: 16 } as const;

/** Parts begin where arrays of numbers may. */
const ALIGNED = 8;

export const UNFINISHED = '.unfinished';

/**
 * Writes a snapshot for the owner of the process alone. Whenever the process is killed, the file is what it was before or all of
 * this one. The parts are read before this gives anybody else a turn.
 */
export async function writeSnapshot(file: string, header: SnapshotHeader, parts: SnapshotParts): Promise<void> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const unfinished = `${file}.${randomUUID()}${UNFINISHED}`;
  const descriptor = openSync(unfinished, 'wx', 0o600);
  try {
    try {
      writeAll(descriptor, header, parts);
      await promisify(fsync)(descriptor);
    } finally {
      closeSync(descriptor);
    }
    await rename(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

function writeAll(descriptor: number, header: SnapshotHeader, parts: SnapshotParts): void {
  let [at, sum] = [0, 0];
  const write = (bytes: Uint8Array): void => {
    for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
    sum = crc32(bytes, sum);
    at += bytes.length;
  };
  const ranges: Record<string, readonly [number, number]> = {};
  for (const [name, pieces] of Object.entries(parts)) {
    write(new Uint8Array((ALIGNED - (at % ALIGNED)) % ALIGNED));
    const from = at;
    for (const piece of pieces) write(piece);
    ranges[name] = [from, at - from];
  }
  const text = Buffer.from(JSON.stringify({ ...header, parts: ranges } satisfies StoredHeader));
  const end = Buffer.alloc(END.size);
  end.writeDoubleLE(at, END.from);
  end.writeUInt32LE(text.length, END.bytes);
  write(text);
  write(end.subarray(0, END.sum));
  end.writeUInt32LE(sum, END.sum);
  write(end.subarray(END.sum));
}

/** Undefined: there is none, or it is damaged. */
export function readSnapshot(file: string): Snapshot | undefined {
  try {
    const bytes = readFileSync(file);
    const end = bytes.subarray(-END.size);
    if (crc32(bytes.subarray(0, -4)) !== end.readUInt32LE(END.sum)) return undefined;
    const from = end.readDoubleLE(END.from);
    const header = JSON.parse(bytes.toString('utf8', from, from + end.readUInt32LE(END.bytes))) as StoredHeader;
    const { buffer, byteOffset } = bytes;
    const part = (name: string) => {
      const [begin, to] = rangeOf(header, name);
      return new Uint8Array(buffer, byteOffset + begin, to - begin);
    };
    return { header, part };
  } catch {
    return undefined;
  }
}

/** Its header and one part, without the others and without looking whether they are whole. Undefined: as with all of it. */
export async function readSnapshotPart(
  file: string,
  name: string,
): Promise<{ readonly header: SnapshotHeader; readonly part: Uint8Array<ArrayBuffer> } | undefined> {
  try {
    await using handle = await open(file);
    const read = async (from: number, bytes: number): Promise<Buffer<ArrayBuffer>> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, from);
      if (bytesRead < bytes) throw new Error('it is shorter than it should be');
      return buffer;
    };
    const { size } = await handle.stat();
    const end = await read(size - END.size, END.size);
    const at = end.readDoubleLE(END.from);
    const bytes = end.readUInt32LE(END.bytes);
    if (at + bytes + END.size !== size) return undefined;
    const header = JSON.parse((await read(at, bytes)).toString()) as StoredHeader;
    const [from, to] = rangeOf(header, name);
    return { header, part: await read(from, to - from) };
  } catch {
    return undefined;
  }
}

function rangeOf({ parts }: StoredHeader, name: string): [from: number, to: number] {
  const [from, bytes] = parts[name] ?? [];
  if (from === undefined || bytes === undefined) throw new Error(`it has no ${name}`);
  return [from, from + bytes];
}

/** Of so many bytes at a time. */
const PIECE = 1 << 18;

/** Lists of numbers, one behind the other. */
export function* piecesOfNumbers(lists: Iterable<ArrayLike<number>>): Generator<Uint8Array> {
  const piece = new Int32Array(PIECE / Int32Array.BYTES_PER_ELEMENT);
  let count = 0;
  for (const list of lists)
    for (let at = 0; at < list.length; at += 1) {
      piece[count] = list[at] as number;
      count += 1;
      if (count < piece.length) continue;
      yield bytesOf(piece);
      count = 0;
    }
  yield bytesOf(piece.subarray(0, count));
}

export const numbersIn = (part: Uint8Array<ArrayBuffer>): Int32Array<ArrayBuffer> =>
  new Int32Array(part.buffer, part.byteOffset, part.byteLength / Int32Array.BYTES_PER_ELEMENT);

export const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Texts without a line break, a line each. */
export function* piecesOfLines(lines: Iterable<string>): Generator<Uint8Array> {
  let piece = '';
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE) continue;
    yield Buffer.from(piece);
    piece = '';
  }
  yield Buffer.from(piece);
}

export function* linesIn(part: Uint8Array): Generator<string> {
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
  for (let from = 0; from < bytes.length;) {
    const to = bytes.indexOf(10, from);
    yield bytes.toString('utf8', from, to);
    from = to + 1;
  }
}
