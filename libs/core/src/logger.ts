import { pino, stdTimeFunctions, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { SECRET_PATHS } from './secret-paths.ts';

export type Logger = PinoLogger;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  /** Stands in every line as `service`. */
  service: string;
  /** `info` when absent or unknown: a typing mistake must not silence a service. */
  level?: string | undefined;
  /** Where lines go; standard output unless given. */
  destination?: DestinationStream;
}

/** Writes one JSON object per line with ISO time; values under names that hold secrets are replaced. */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  return pino(
    {
      level: LOG_LEVELS.find((known) => known === level) ?? 'info',
      base: { service },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_PATHS, censor: '[redacted]' },
    },
    // Synchronous on purpose: the last line before an exit is the one that is needed most.
    destination ?? pino.destination({ dest: 1, sync: true }),
  );
}
