import type { Logger } from '@platform-backend/core';
import { format } from 'logform';
import TransportStream from 'winston-transport';
import { requireExpressGateway } from './load.ts';

interface WinstonLogger {
  configure(options: { level: string; format: unknown; transports: TransportStream[] }): void;
}

const PARTS = ['gateway', 'policy', 'config', 'db', 'admin', 'plugins'] as const;

/** winston's names where pino has no level of the same name. */
const PINO_LEVEL: Readonly<Record<string, 'debug' | 'trace'>> = { verbose: 'debug', silly: 'trace', http: 'debug' };

/**
 * Sends what express-gateway logs to our logger, one JSON object per line. To be called before the
 * rest of express-gateway is loaded: it logs while loading.
 */
export function logThrough(logger: Logger): void {
  const loggers = requireExpressGateway<Record<(typeof PARTS)[number], WinstonLogger>>('/lib/logger');
  for (const part of PARTS) {
    loggers[part].configure({
      level: logger.level === 'trace' ? 'silly' : logger.level === 'debug' ? 'verbose' : 'info',
      format: format.splat(),
      transports: [new PinoTransport(logger.child({ module: `express-gateway ${part}` }))],
    });
  }
}

class PinoTransport extends TransportStream {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    super();
    this.#logger = logger;
  }

  override log(entry: { level: string; message: unknown }, done: () => void): void {
    const level = PINO_LEVEL[entry.level] ?? entry.level;
    const write =
      level === 'error' || level === 'warn' || level === 'trace' ? level : level === 'info' ? 'info' : 'debug';
    const { message } = entry;
    this.#logger[write](typeof message === 'string' ? withoutColour(message) : { said: message });
    done();
  }
}

/** express-gateway paints names in its messages whether or not anybody can see colours. */
// oxlint-disable-next-line no-control-regex -- escape sequences are what is looked for
const withoutColour = (text: string): string => text.replaceAll(/\u001b\[\d+m/g, '');
