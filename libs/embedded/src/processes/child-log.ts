import { chmodSync, closeSync, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The part of a log file that one child writes. */
export interface ChildLog {
  /** For the child to write to; close it once the child has it. */
  readonly descriptor: number;
  /** The complete lines that were written since the last call. */
  readonly nextLines: () => string[];
  /** The end of what the child wrote, at most 4 kB. */
  readonly tail: () => string;
}

const tailBytes = 4_096;
/** So much is read at a time; a longer line is no line that we look for. */
const chunkBytes = 256 * 1024;

/** Opens a log for appending; what earlier children wrote is kept but never read. */
export function openChildLog(path: string): ChildLog {
  mkdirSync(dirname(path), { recursive: true });
  const descriptor = openSync(path, 'a', 0o600);
  chmodSync(path, 0o600);
  const startsAt = fstatSync(descriptor).size;
  let position = startsAt;
  return {
    descriptor,
    nextLines() {
      const fresh = readFrom(path, position);
      const complete = fresh.length === chunkBytes ? fresh : fresh.subarray(0, fresh.lastIndexOf(10) + 1);
      position += complete.length;
      return complete.toString('utf8').split('\n').slice(0, -1);
    },
    tail: () =>
      readFrom(path, Math.max(startsAt, statSync(path).size - tailBytes))
        .toString('utf8')
        .trim(),
  };
}

function readFrom(path: string, position: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(Math.min(chunkBytes, Math.max(0, fstatSync(file).size - position)));
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, position));
  } finally {
    closeSync(file);
  }
}
