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
}

/** The main program of a service with a database: runs it, or with the argument `migrate` only migrates. */
export async function serviceMain({ name, start, migrate }: ServiceMain): Promise<void> {
  const logger = createLogger({ service: name, level: process.env['LOG_LEVEL'] });
  const accessLog = accessLogOf(logger);
  if (process.argv[2] !== 'migrate') return runService({ name, logger, start: () => start({ logger, accessLog }) });
  try {
    logger.info({ applied: await migrate(logger) }, `${name} is migrated`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.fatal({ err: error }, `${name} could not migrate: ${reason}`);
    process.exitCode = 1;
  }
}
