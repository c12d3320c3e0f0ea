import type { StartSign } from '../processes/long-start.ts';

/**
 * What PostgreSQL says while it recovers after a crash. Long parts repeat themselves every ten seconds
 * (`log_startup_progress_interval`), but for the checkpoint at the end, of which nothing is heard until it is over.
 */
const signs: readonly (readonly [RegExp, (...found: string[]) => StartSign])[] = [
  [/database system was (?:interrupted|not properly shut down)/, () => ({ doing: recovering, timeoutFactor: 4 })],
  [/syncing data directory \(\w+\), elapsed time: (\d+)/, (seconds) => afterSeconds('making its files safe', seconds)],
  [/resetting unlogged relations \(\w+\), elapsed time: (\d+)/, (seconds) => afterSeconds('emptying tables', seconds)],
  [/redo starts at/, () => ({ doing: recovering, timeoutFactor: 4 })],
  [
    /redo in progress, elapsed time: (\d+)[\d.]* s, current LSN: (\S+)/,
    (seconds, position = '') => afterSeconds(`repeating its last changes, at ${position}`, seconds),
  ],
  [
    /redo done at|checkpoint starting: end-of-recovery/,
    () => ({ doing: `${recovering}: writing the result`, timeoutFactor: 20 }),
  ],
];

const recovering = 'is recovering after a crash';

const afterSeconds = (what: string, seconds = ''): StartSign => ({
  doing: `${recovering}: ${what} (${seconds} s)`,
  timeoutFactor: 4,
});

/** A line of a server that recovers, as a sign that it gets on. */
export function recoverySign(line: string): StartSign | undefined {
  for (const [pattern, signOf] of signs) {
    const found = pattern.exec(line);
    if (found) return signOf(...found.slice(1));
  }
  return undefined;
}
