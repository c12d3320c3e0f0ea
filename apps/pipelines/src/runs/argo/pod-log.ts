import { keptLine } from '../../step-engine/domain/log-line.ts';
import { MAX_LOG_LINES } from '../domain/limits.ts';
import type { LogLine } from '../domain/run-engine.ts';

/** The executor writes into the log of the program that it runs. */
const OF_EXECUTOR = /^time=\S+ level=\w+ .*\bargo=true\b|^Error: exit status \d+$/;

/** What a program has written, of a log in which Kubernetes has put the time before each line. */
export function linesOfPod(log: string): readonly LogLine[] {
  const lines = log.split('\n').flatMap((line) => {
    const end = line.indexOf(' ');
    const at = new Date(end === -1 ? line : line.slice(0, end));
    const text = end === -1 ? '' : line.slice(end + 1);
    return Number.isNaN(at.getTime()) || OF_EXECUTOR.test(text) ? [] : [{ at, text }];
  });
  const kept = lines.slice(0, MAX_LOG_LINES).map(({ at, text }, number) => ({
    ...{ number, at },
    text: keptLine(text.replaceAll('\0', '')),
  }));
  const next = lines[MAX_LOG_LINES];
  if (!next) return kept;
  const text = `More than ${MAX_LOG_LINES} lines: the others are left out`;
  return [...kept, { number: MAX_LOG_LINES, at: next.at, text }];
}
