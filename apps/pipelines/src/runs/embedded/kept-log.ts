import type { Clock, Logger } from '@platform-backend/core';
import { keptLine } from '../../step-engine/domain/log-line.ts';
import type { LogLine } from '../domain/run-engine.ts';

export interface KeptLogOptions {
  readonly append: (lines: readonly LogLine[]) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /** Lines; the others are left out, and that is said. */
  readonly maxLines: number;
}

const WRITE_EVERY_MS = 300;

/** Lines of one attempt, written some at a time. A log that cannot be written fails no step, and says afterwards what it lacks. */
export function keptLog({ append, clock, logger, maxLines }: KeptLogOptions) {
  let count = 0;
  let waiting: LogLine[] = [];
  let written = Promise.resolve();
  let lost: LogLine[] = [];
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    timer = undefined;
    const lines = waiting;
    waiting = [];
    if (lines.length === 0) return;
    written = written.then(async () => {
      try {
        await append(lost.length === 0 ? lines : [...gapNotice(lost), ...lines]);
        lost = [];
      } catch (error) {
        lost.push(...lines);
        logger.warn({ event: 'run_log.write_failed', err: error }, 'lines of a log could not be written');
      }
    });
  };

  return {
    write: (text: string): void => {
      if (count > maxLines) return;
      const line = count === maxLines ? `More than ${maxLines} lines: the others are left out` : keptLine(text);
      waiting.push({ number: count, at: clock.now(), text: line });
      count += 1;
      timer ??= setTimeout(flush, WRITE_EVERY_MS);
    },
    end: async (): Promise<void> => {
      clearTimeout(timer);
      flush();
      await written;
    },
  };
}

/** What says that lines are missing, at their place. */
const gapNotice = (lost: readonly LogLine[]): readonly LogLine[] =>
  lost.slice(0, 1).map((first) => ({ ...first, text: `${String(lost.length)} lines could not be kept` }));
