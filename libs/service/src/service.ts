import type { Activity, Clock, Configuration, Environment, Logger, Settings } from '@platform-backend/core';
import type { AccessLog } from '@platform-backend/core/access-log';
import type { EventAccess } from '@platform-backend/events';
import type { ServiceDeclaration } from './declaration.ts';
import type { Compose } from './service-context.ts';
import type { ServiceSettings } from './settings.ts';

/** What one process of a service is started with. */
export interface ServiceEnvironment {
  readonly env: Environment;
  readonly logger: Logger;
  /** For the line of each call; `logger` unless given. */
  readonly accessLog?: AccessLog;
  readonly clock?: Clock;
  /** Whether anything happens, for work that rests otherwise; its own unless given. */
  readonly activity?: Activity;
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

export interface Service<Declaration extends ServiceDeclaration = ServiceDeclaration> {
  readonly declaration: Declaration;
  readonly eventAccess: EventAccess;
  /** How each variable is read, by its name: when it runs, and when it migrates alone. */
  readonly variables: Readonly<Record<'running' | 'migrating', Settings>>;
  /** @throws ConfigurationError naming everything that is wrong with the environment at once. */
  readonly readSettings: (env: Environment) => ServiceSettings;
  /** What migrating alone needs. */
  readonly readMigrationSettings: (env: Environment) => Configuration<Settings>;
  /** Brings its database to this version; answers the names of the migrations that ran. */
  readonly migrate: (env: Environment, logger: Logger) => Promise<readonly string[]>;
  start(compose: Compose<Declaration>, environment: ServiceEnvironment): Promise<RunningService>;
}

export interface DeclaredService<Declaration extends ServiceDeclaration> extends Service<Declaration> {
  /**
   * Its main program: runs it, or with an argument (`migrate`, `events`) does that alone, for which nothing of what runs
   * it is loaded.
   */
  main(load: () => Promise<Compose<Declaration>>): Promise<void>;
}
