import { levels, pino, symbols, type DestinationStream } from 'pino';

/** Lines wait for company until there are so many bytes, or for so many milliseconds. */
const ENOUGH_BYTES = 8 * 1024;
const WAIT_MS = 50;
/** A line of this level does not wait, nor do those before it: it may be the last one. */
const URGENT = levels.values['warn'] ?? 0;

/** A destination that pino tells the level of each line. */
interface LevelledLines extends DestinationStream {
  readonly [symbols.needsMetadataGsym]: true;
  lastLevel?: number;
}

/**
 * Standard output for many lines a second: one system call for all lines of a moment, instead of one each. Warnings
 * and errors are written at once. Lines are never torn apart or mixed up, and none is lost when the process exits.
 */
export function logLines(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: true, minLength: ENOUGH_BYTES });
  process.on('exit', () => output.flushSync());
  let waiting = false;
  const flush = (): void => {
    waiting = false;
    output.flush();
  };
  const lines: LevelledLines = {
    [symbols.needsMetadataGsym]: true,
    write(line) {
      output.write(line);
      if ((lines.lastLevel ?? URGENT) >= URGENT) output.flushSync();
      else if (!waiting) {
        waiting = true;
        setTimeout(flush, WAIT_MS).unref();
      }
    },
  };
  return lines;
}
