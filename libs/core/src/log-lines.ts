import { writeSync } from 'node:fs';
import { levels, symbols, type DestinationStream } from 'pino';

/** Lines wait for company until there are so many characters, or for so many milliseconds. */
const ENOUGH = 8 * 1024;
const WAIT_MS = 50;
/** A line of this level does not wait, nor do those before it: it may be the last one. */
const URGENT = levels.values['warn'] ?? 0;

/** What cannot be written waits up to so many characters; beyond that, lines are counted instead of kept. */
const MAX_WAITING = 1024 * 1024;
/** Kept free for urgent lines, which say what is wrong. */
const RESERVE = 64 * 1024;
/** How soon writing is tried again after it was refused, in milliseconds: a reader that is only slow is soon ready for more. */
const RETRY_MS = 100;
const RETRY_SOON_MS = 5;
/** How long an exit waits for a reader that is behind, in milliseconds. */
const EXIT_TIMEOUT_MS = 500;
const EXIT_PAUSE_MS = 10;

let linesLost = 0;
/** How many lines this process has given up so far. */
export const logLinesLost = (): number => linesLost;

/** A destination that pino tells the level of each line. */
interface LevelledLines extends DestinationStream {
  readonly [symbols.needsMetadataGsym]: true;
  lastLevel?: number;
}

/**
 * Standard output for many lines a second: one system call for all lines of a moment, instead of one each. Warnings and
 * errors are written at once. Lines are never torn apart or mixed up, and none is lost when the process exits.
 *
 * A full disk or a reader that does not read never holds the process up: lines wait in bounded memory, and what is more
 * is given up and counted. `lost` hears how many, as soon as lines can be written again.
 */
export function logLines(lost: (count: number) => void): DestinationStream {
  let isOpen = false;
  let waiting: string[] = [];
  let waitingLength = 0;
  /** The rest of lines of which the system took only a part. */
  let begun = Buffer.alloc(0);
  let writes = 0;
  let refusal: unknown;
  let givenUp = 0;
  let timer: NodeJS.Timeout | undefined;

  const writeAll = (): void => {
    while (begun.length > 0 || waiting.length > 0) {
      if (begun.length === 0) {
        begun = Buffer.from(waiting.join(''));
        waiting = [];
        waitingLength = 0;
      }
      begun = begun.subarray(writeSync(process.stdout.fd, begun));
      writes += 1;
    }
  };

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const before = writes;
    try {
      writeAll();
      refusal = undefined;
    } catch (error) {
      refusal = error;
      flushAfter(writes > before ? RETRY_SOON_MS : RETRY_MS);
      return;
    }
    if (givenUp === 0) return;
    const count = givenUp;
    givenUp = 0;
    lost(count);
  };

  const flushAfter = (ms: number): void => {
    timer ??= setTimeout(flush, ms).unref();
  };

  const finish = (): void => {
    const end = Date.now() + EXIT_TIMEOUT_MS;
    flush();
    while (isBusy(refusal) && Date.now() < end) {
      pause(EXIT_PAUSE_MS);
      flush();
    }
  };

  const lines: LevelledLines = {
    [symbols.needsMetadataGsym]: true,
    write(line) {
      if (!isOpen) openStandardOutput(finish);
      isOpen = true;
      const urgent = (lines.lastLevel ?? URGENT) >= URGENT;
      const room = MAX_WAITING + (urgent ? RESERVE : 0) - begun.length - waitingLength;
      // Once some are missing all are, until it can be said how many.
      if (line.length > room || (givenUp > 0 && !urgent)) {
        givenUp += 1;
        linesLost += 1;
        return;
      }
      waiting.push(line);
      waitingLength += line.length;
      if (refusal !== undefined) return;
      if (urgent || waitingLength >= ENOUGH) flush();
      else flushAfter(WAIT_MS);
    },
  };
  return lines;
}

/**
 * Opened as a stream, Node makes a pipe answer that it is full instead of holding us up, although nothing is written
 * through the stream. A reader that goes away must not end the process either, whoever writes.
 */
function openStandardOutput(finish: () => void): void {
  process.on('exit', finish);
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

const isBusy = (refusal: unknown): boolean => (refusal as NodeJS.ErrnoException | undefined)?.code === 'EAGAIN';

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
