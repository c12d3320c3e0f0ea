import { ftruncateSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';

/** A log that has grown over so many bytes is put aside; with the present one, so many files are kept. */
const limitBytes = 10 * 1024 * 1024;
const keptFiles = 3;
const checkEveryMs = 2_000;
const chunkBytes = 256 * 1024;
/** How long the rest of a line is waited for. */
const restOfLineMs = 20;
const LINE_FEED = 10;
const oneMoment = new Int32Array(new SharedArrayBuffer(4));

/** The logs that are kept within bounds, each with how often that is wanted: one timer wakes this process for all of them. */
const bounded = new Map<string, number>();
let timer: NodeJS.Timeout | undefined;
let checking: Promise<unknown> | undefined;

const check = (): void => {
  checking ??= Promise.all([...bounded.keys()].map((path) => rotateIfLarge(path))).finally(
    () => (checking = undefined),
  );
};

/** Keeps a log that running processes append to within bounds; the function it returns ends that. */
export function boundLog(path: string): () => void {
  bounded.set(path, (bounded.get(path) ?? 0) + 1);
  timer ??= setInterval(check, checkEveryMs).unref();
  return () => {
    const wanted = (bounded.get(path) ?? 0) - 1;
    if (wanted > 0) bounded.set(path, wanted);
    else bounded.delete(path);
    if (bounded.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/**
 * Puts a log aside if it is large: `name.log` becomes `name.1.log`, and that `name.2.log`. Never throws.
 *
 * Whoever writes it does so through a descriptor that leads to this very file, hence it is copied and emptied instead of
 * renamed. What is written between the last byte of the copy and the emptying, a moment later, is lost; no line is torn.
 */
export async function rotateIfLarge(path: string, limit = limitBytes): Promise<void> {
  const aside = (number: number): string => path.replace(/(?:\.log)?$/, `.${String(number)}.log`);
  try {
    if (sizeOf(path) <= limit) return;
    for (let number = keptFiles - 2; number >= 1; number -= 1) {
      if (sizeOf(aside(number)) > 0) renameSync(aside(number), aside(number + 1));
    }
    const log = await open(path, 'r+');
    try {
      await moveEnd(log, aside(1), limit);
    } catch {
      // On a full disk a log that only grows is worse than one that is gone.
      rmSync(aside(1), { force: true });
      ftruncateSync(log.fd);
    } finally {
      await log.close();
    }
  } catch {
    // Somebody took the folder away, or the right to write there: the next check tries again.
  }
}

/** Copies the last `limit` bytes, from the beginning of a line, and what is written meanwhile, and empties the log. */
async function moveEnd(log: FileHandle, to: string, limit: number): Promise<void> {
  const { size } = await log.stat();
  const copy = await open(to, 'w', 0o600);
  const buffer = Buffer.alloc(chunkBytes);
  let position = Math.max(0, size - limit);
  try {
    let isInLine = position > 0;
    while (position < size) {
      const { bytesRead } = await log.read(buffer, 0, Math.min(chunkBytes, size - position), position);
      if (bytesRead === 0) break;
      const read = buffer.subarray(0, bytesRead);
      await copy.write(isInLine ? read.subarray(read.indexOf('\n') + 1) : read);
      isInLine = false;
      position += bytesRead;
    }
    // The rest without letting go, so that nothing comes between its end and the emptying; a fast writer is not waited for.
    // One that was interrupted within a line is, for a moment: a file system shows the first page of a line before the next.
    const last = size + limit;
    let [isInRest, msLeft] = [false, restOfLineMs];
    while (position < last) {
      const bytesRead = readSync(log.fd, buffer, 0, Math.min(chunkBytes, last - position), position);
      if (bytesRead === 0) {
        if (!isInRest || msLeft === 0) break;
        msLeft -= 1;
        Atomics.wait(oneMoment, 0, 0, 1);
        continue;
      }
      position += bytesRead;
      const read = buffer.subarray(0, bytesRead);
      isInRest = read.at(-1) !== LINE_FEED;
      writeSync(copy.fd, position < last ? read : read.subarray(0, read.lastIndexOf('\n') + 1));
    }
    ftruncateSync(log.fd);
  } finally {
    await copy.close();
  }
}

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
