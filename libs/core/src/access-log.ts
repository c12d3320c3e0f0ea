import { levels, symbols, type DestinationStream } from 'pino';
import type { Logger } from './logger.ts';

type WriteLine = (fields: object, message: string) => void;

type Level = 'info' | 'warn' | 'error';

/** Writes the one line at the end of every request. A logger is one as well. */
export interface AccessLog {
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
  /** Whether a line of that level is written, for whoever would have to make many for nothing. */
  isLevelEnabled(level: Level): boolean;
}

/** A destination that may want to know the level of each line, as `logLines` does. */
type Destination = DestinationStream & { readonly [symbols.needsMetadataGsym]?: true; lastLevel?: number };

/**
 * An access log beside the process's own logger: to the same place, in the same form and at the same level, at a fraction of
 * its cost. In return its lines are not searched for secrets and have no bounds, so they may hold named, safe fields only.
 * It never throws either.
 */
export function accessLogOf(logger: Logger): AccessLog {
  const { [symbols.streamSym]: destination } = logger as Logger & { readonly [symbols.streamSym]: Destination };
  const base = membersOf(logger.bindings());

  const lineWriter = (level: Level): WriteLine => {
    if (!logger.isLevelEnabled(level)) return () => undefined;
    const beginning = `{"level":"${level}"`;
    const write = (members: string, message: string): void => {
      if (destination[symbols.needsMetadataGsym]) destination.lastLevel = levels.values[level] ?? NaN;
      destination.write(`${beginning}${isoTime()}${base}${members},"msg":${JSON.stringify(message)}}\n`);
    };
    return (fields, message) => {
      try {
        write(membersOf(fields), message);
      } catch {
        try {
          write('', 'a log line could not be written');
        } catch {
          // There is nowhere left to say it.
        }
      }
    };
  };
  return {
    info: lineWriter('info'),
    warn: lineWriter('warn'),
    error: lineWriter('error'),
    isLevelEnabled: (level) => logger.isLevelEnabled(level),
  };
}

/** What stands between the braces of an object, behind a comma; nothing for an empty one. */
function membersOf(fields: object): string {
  const json = JSON.stringify(fields);
  return json === '{}' ? '' : `,${json.slice(1, -1)}`;
}

let second = NaN;
let upToSecond = '';

/** The time as pino writes it; all but its last digits is made once a second. */
function isoTime(): string {
  const now = Date.now();
  const ms = now % 1_000;
  if (now - ms !== second) {
    second = now - ms;
    upToSecond = `,"time":"${new Date(second).toISOString().slice(0, -4)}`;
  }
  return `${upToSecond}${String(ms).padStart(3, '0')}Z"`;
}
