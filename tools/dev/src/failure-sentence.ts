import { StartFailure } from '@platform/embedded';

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
  const fatalJson = lines.map(messageOfJsonLine).filter((message) => message !== undefined);
  const fatal = lines.map((line) => /(?:FATAL|PANIC|ERROR|error|\[FTL\]|\[ERR\]):?\s+(.*)/.exec(line)?.[1]);
  return fatalJson.at(-1) ?? fatal.find((text) => text !== undefined) ?? lines.at(-1);
}

/** Our services log JSON; `fatal` and `error` lines carry the sentence. */
function messageOfJsonLine(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { level, msg } = JSON.parse(line) as { level?: unknown; msg?: unknown };
    return (level === 'fatal' || level === 'error') && typeof msg === 'string' ? msg : undefined;
  } catch {
    return undefined;
  }
}

const firstLine = (text: string): string => text.split('\n')[0] ?? text;
