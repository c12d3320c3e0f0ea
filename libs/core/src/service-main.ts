import { accessLogOf } from './access-log.ts';
import type { Clock } from './clock.ts';
import { createLogger, type Logger } from './logger.ts';
import { runService, type StartedService } from './run-service.ts';

export interface ServiceLogs {
  readonly logger: Logger;
  /** For the line of each call. */
  readonly accessLog: Logger;
}

/** What a service is put together for. */
export interface ServiceEnvironment<Config> {
  readonly config: Config;
  readonly logger: Logger;
  /** For the line of each call; `logger` unless given. */
  readonly accessLog?: Logger | undefined;
  readonly clock?: Clock;
}

/** A service that answers. */
export interface RunningService {
  /** `host:port` as bound. */
  readonly address: string;
  /** Where its metrics are, likewise. */
  readonly metricsAddress: string;
  /** Lets calls in flight end, publishes what is in hand, and closes everything. */
  readonly stop: () => Promise<void>;
}

export interface ServiceMain {
  /** As it stands in sentences: "identity could not start: ...". */
  readonly name: string;
  /** Reads the configuration, builds and listens. */
  readonly start: (logs: ServiceLogs) => Promise<StartedService>;
  /** Brings the database to this version of the service; answers the names of the migrations that ran. */
  readonly migrate: (logger: Logger) => Promise<readonly string[]>;
  /** What else an operator may ask of it, by the first argument; the others are handed over. */
  readonly commands?: Readonly<Record<string, (call: CommandCall) => Promise<void>>>;
}

/** What a command is asked, and where it answers. */
export interface CommandCall {
  readonly args: readonly string[];
  /** Writes to standard error. */
  readonly logger: Logger;
  /** Writes one line of JSON to standard output. */
  readonly write: (result: object) => void;
}

/** The main program of a service with a database: runs it, or with an argument (`migrate`) does that alone. */
export async function serviceMain({ name, start, migrate, commands = {} }: ServiceMain): Promise<void> {
  const [, , word, ...args] = process.argv;
  const level = process.env['LOG_LEVEL'];
  if (word === undefined || word === 'migrate') {
    const logger = createLogger({ service: name, level });
    if (word === undefined)
      return runService({ name, logger, start: () => start({ logger, accessLog: accessLogOf(logger) }) });
    return failing(logger, `${name} could not migrate`, async () =>
      logger.info({ applied: await migrate(logger) }, `${name} is migrated`),
    );
  }
  const logger = createLogger({ service: name, level, destination: process.stderr });
  await failing(logger, `${name} could not do it`, async () => {
    const command = commands[word];
    if (!command) throw new Error(`it knows ${['migrate', ...Object.keys(commands)].join(', ')}, and not "${word}"`);
    await command({ args, logger, write: (result) => process.stdout.write(`${JSON.stringify(result)}\n`) });
  });
}

async function failing(logger: Logger, what: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.fatal({ err: error }, `${what}: ${reason}`);
    process.exitCode = 1;
  }
}
