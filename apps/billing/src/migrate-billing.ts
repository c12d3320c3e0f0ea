import type { Logger } from '@platform/core';
import { migrate } from '@platform/postgres';

export interface BillingMigration {
  /** Connects as the owner of the tables. */
  readonly migrationUrl: string;
  /** Connects as the role that the service runs with; migrations grant it what it needs. */
  readonly databaseUrl: string;
  readonly logger: Logger;
}

/** Brings the database to this version of the service; answers the names of the migrations that ran. */
export const migrateBilling = ({ migrationUrl, databaseUrl, logger }: BillingMigration): Promise<string[]> =>
  migrate({
    url: migrationUrl,
    directory: new URL('../migrations/', import.meta.url),
    appRole: decodeURIComponent(new URL(databaseUrl).username),
    logger,
  });
