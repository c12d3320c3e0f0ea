import { StartFailure } from '@platform-backend/embedded';

/**
 * One sentence for a person from whatever went wrong. A child's output often holds many lines; the
 * one that matters is its fatal one. The whole is in the log.
 */
export function failureSentence(error: unknown): string {
  if (!(error instanceof StartFailure)) return firstLine(error instanceof Error ? error.message : String(error));
  const reason = reasonIn(error.output);
  const [what = ''] = error.message.split(':\n');
  return reason === undefined ? firstLine(what) : `${what}: ${reason}`;
}

function reasonIn(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const last = (read: (line: string) => string | undefined): string | undefined =>
    lines.map(read).findLast((text) => text !== undefined);
  return last(messageOfJsonLine) ?? last(messageOfThrownError) ?? last(messageOfServerLine) ?? lines.at(-1);
}

/** What Node prints before it ends: `TypeError: ...` or `Error [ERR_X]: ...`, and then the stack. */
function messageOfThrownError(line: string): string | undefined {
  return /^(?:\w*Error(?: \[\w+\])?): .+/.exec(line)?.[0];
}

/** PostgreSQL writes `FATAL:  ...`, NATS `[FTL] ...`. */
function messageOfServerLine(line: string): string | undefined {
  return /(?:FATAL|PANIC|ERROR|\[FTL\]|\[ERR\]):?\s+(.*)/.exec(line)?.[1];
}

/** Our services log JSON, and MongoDB does; lines that say `fatal` or `error` carry the sentence. */
function messageOfJsonLine(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { level, s, msg } = JSON.parse(line) as { level?: unknown; s?: unknown; msg?: unknown };
    const isFailure = level === 'fatal' || level === 'error' || s === 'F' || s === 'E';
    return isFailure && typeof msg === 'string' ? msg : undefined;
  } catch {
    return undefined;
  }
}

const firstLine = (text: string): string => text.split('\n')[0] ?? text;
