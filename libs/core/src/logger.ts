import {
  pino,
  stdTimeFunctions,
  symbols,
  type ChildLoggerOptions,
  type DestinationStream,
  type LogFn,
  type Logger as PinoLogger,
} from 'pino';
import { LOG_LEVELS } from './log-level.ts';
import { logLines } from './log-lines.ts';
import {
  isError,
  loggable,
  loggableFields,
  type Loggable,
  type LoggableBounds,
  type LoggableFields,
} from './loggable.ts';
import { presentRequestId } from './present-request.ts';

export type Logger = PinoLogger;

export interface LoggerOptions {
  /** Stands in every line as `service`. */
  service: string;
  /** `info` when absent or unknown: a typing mistake must not silence a service. */
  level?: string | undefined;
  /** Where lines go; standard output unless given. */
  destination?: DestinationStream;
}

/**
 * Writes one JSON object per line with ISO time, at most 32 KiB long. It never throws, whatever it is given; values under
 * names that hold secrets, and texts that look like one, are replaced.
 */
export function createLogger({ service, level, destination }: LoggerOptions): Logger {
  const logger: Logger = pino(
    {
      level: LOG_LEVELS.find((known) => known === level) ?? 'info',
      base: { service },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: (_fields, _level, given) => requestOf(given),
      // What pino is given is a copy; its own reader of errors would throw on some.
      serializers: { err: (error: unknown) => error },
      hooks: {
        logMethod(given, log) {
          logWithoutThrowing(this, log, () => copies(given));
        },
        streamWrite: withinLimit,
      },
    },
    destination ??
      logLines((count) =>
        logger.warn({ event: 'log.lines_lost', lost: count }, `${String(count)} log lines were lost`),
      ),
  );
  const { child } = logger as unknown as { readonly child: MakeChild };
  const safeChild: MakeChild = function (bindings, options) {
    try {
      return child.call(this, loggableFields(bindings), options);
    } catch {
      return child.call(this, { bindings: '[unreadable]' }, options);
    }
  };
  // Children inherit from their logger, and this from it.
  return Object.assign(logger, { child: safeChild });
}

type MakeChild = (this: Logger, bindings: object, options?: ChildLoggerOptions) => Logger;

/** Logs what `given` answers; whatever goes wrong in this, the caller goes on. */
export function logWithoutThrowing(logger: Logger, log: LogFn, given: () => unknown[]): void {
  try {
    log.apply(logger, given() as Parameters<LogFn>);
  } catch {
    try {
      log.call(logger, 'a log line could not be written');
    } catch {
      // There is nowhere left to say it.
    }
  }
}

/** The request that the line comes of, unless the logger has one of its own in every line. */
function requestOf(logger: PinoLogger): { requestId?: string } {
  const requestId = presentRequestId();
  if (requestId === undefined) return {};
  const { [symbols.chindingsSym]: own } = logger as PinoLogger & { readonly [symbols.chindingsSym]: string };
  return own.includes('"requestId":') ? {} : { requestId };
}

const MAX_WORDS = 10;
const WORD_BOUNDS: LoggableBounds = { total: 4_096, text: 4_096 };

/** What pino is given in place of the arguments of a call: fields and a message, or a message alone. */
function copies([first, ...rest]: readonly unknown[]): unknown[] {
  const words = rest.slice(0, MAX_WORDS).map(inWords);
  if (typeof first !== 'object' || first === null) return [inWords(first), ...words];
  return [loggableFields(isError(first) ? { err: first } : first), ...words];
}

function inWords(value: unknown): Loggable | undefined {
  const copy = loggable(value, WORD_BOUNDS);
  return typeof copy === 'object' ? JSON.stringify(copy) : copy;
}

const LINE_BYTES = 32 * 1024;
/** Six characters of a line are the most that one of a text can need, and three bytes that one of a line can. */
const TIGHT_BOUNDS: LoggableBounds = { total: 4_000, text: 1_000 };
const TIGHT_MESSAGE = 500;

/** A line that is too long in spite of the bounds of its parts is written once more, with less of each. */
function withinLimit(line: string): string {
  if (line.length * 3 <= LINE_BYTES || Buffer.byteLength(line) <= LINE_BYTES) return line;
  const { level, time, service, msg, ...rest } = JSON.parse(line) as LoggableFields;
  const message = typeof msg === 'string' ? msg.slice(0, TIGHT_MESSAGE) : undefined;
  return `${JSON.stringify({ level, time, service, ...loggableFields(rest, TIGHT_BOUNDS), msg: message })}\n`;
}
