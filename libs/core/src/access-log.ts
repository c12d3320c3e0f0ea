import { pino, symbols, type DestinationStream } from 'pino';
import { logWithoutThrowing, type Logger } from './logger.ts';

/**
 * A logger for the one line at the end of every request, beside the process's own logger: to the same place, in the same
 * form and at the same level, at a fraction of its cost. In return its lines are not searched for secrets, so they may
 * hold named, safe fields only.
 */
export function accessLogOf(logger: Logger): Logger {
  const { [symbols.streamSym]: destination } = logger as Logger & { [symbols.streamSym]: DestinationStream };
  return pino(
    {
      level: logger.level,
      base: logger.bindings(),
      timestamp: isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        logMethod(given, log) {
          logWithoutThrowing(this, log, () => given);
        },
      },
    },
    destination,
  );
}

let saidAt = NaN;
let said = '';

/** The time as pino writes it; made once for all lines of a millisecond. */
function isoTime(): string {
  const now = Date.now();
  if (now !== saidAt) {
    saidAt = now;
    said = `,"time":"${new Date(now).toISOString()}"`;
  }
  return said;
}
