import type { Configuration, IdempotencyStore, Logger, Settings } from '@platform-backend/core';
import type { Metrics } from '@platform-backend/core/metrics';
import type { Inbox, Outbox } from '@platform-backend/events';

/**
 * Where a service keeps its data. `postgres` of @platform-backend/postgres and `mongo` of @platform-backend/mongo make one; neither loads
 * its driver before it is opened, so that whoever only reads a declaration does not either.
 */
export interface Storage<Running extends Settings, Migrating extends Settings, Opened extends object, Transaction> {
  /** Which database the service is given. */
  readonly kind: 'postgres' | 'mongo';
  /** Of a running service. Each variable bears the service's name before its own: `DATABASE_URL` is IDENTITY_DATABASE_URL. */
  readonly settings: Running;
  /** Of a service that only migrates, named likewise. */
  readonly migrationSettings: Migrating;
  /** Connects as the role that the service runs with; throws when that role may do too much. */
  open(options: OpenOptions<Running>): Promise<OpenStorage<Opened, Transaction>>;
  /** Puts one organisation back as another database has it; answers how many rows or documents, by the name of where they are. */
  restoreOrganisation(restore: OrganisationRestore): Promise<Readonly<Record<string, number>>>;
  /** Brings the database to this version of the service; answers the names of the migrations that ran. */
  migrate(settings: Configuration<Migrating>, logger: Logger): Promise<readonly string[]>;
}

/** Of whatever kind: what it opens is between it and the stores of its service. */
// oxlint-disable-next-line typescript/no-explicit-any -- no other type takes every storage and gives each its own back
export type AnyStorage = Storage<Settings, Settings, object, any>;

export interface OrganisationRestore {
  /** Addresses of two databases of this service: a restored backup, with the tables of this version, and the one that is in use. */
  readonly from: string;
  readonly to: string;
  readonly organisationId: string;
  /** Tables or collections that stay as they are. */
  readonly kept?: readonly string[];
}

export interface OpenOptions<Running extends Settings> {
  readonly settings: Configuration<Running>;
  /** Shown by the server. */
  readonly applicationName: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Called when something was written, before whoever has written it goes on. */
  readonly onWrite?: () => void;
}

export interface OpenStorage<Opened extends object, Transaction> {
  /** What stores work with. */
  readonly opened: Opened;
  readonly outbox: Outbox;
  readonly inbox: Inbox<Transaction>;
  readonly idempotencyStore: IdempotencyStore;
  /** Resolves when the database answers. */
  ping(this: void): Promise<void>;
  close(): Promise<void>;
}
