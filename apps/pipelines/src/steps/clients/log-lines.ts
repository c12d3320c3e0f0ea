import { MAX_LOG_LINE_LENGTH } from '../../step-engine/domain/limits.ts';
import { keptLine } from '../../step-engine/domain/log-line.ts';

/** Makes lines of text that comes in pieces. A line that is too long says so. */
export function logLines(onLine: (line: string) => void) {
  let rest = '';
  let missing = 0;
  const begin = (text: string): void => {
    rest = text.slice(0, MAX_LOG_LINE_LENGTH);
    missing = text.length - rest.length;
  };
  const goOn = (text: string): void => {
    const whole = rest + text.slice(0, MAX_LOG_LINE_LENGTH);
    rest = whole.slice(0, MAX_LOG_LINE_LENGTH);
    missing += whole.length - rest.length + Math.max(0, text.length - MAX_LOG_LINE_LENGTH);
  };
  return {
    write(text: string): void {
      const [first = '', ...others] = text.split(/\r\n|[\r\n]/);
      goOn(first);
      for (const other of others) {
        onLine(keptLine(rest, missing));
        begin(other);
      }
    },
    /** What is left without an end is a line as well. */
    end(): void {
      if (rest !== '') onLine(keptLine(rest, missing));
      begin('');
    },
  };
}
