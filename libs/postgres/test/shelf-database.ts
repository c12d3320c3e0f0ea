import { createLogger } from '@platform-backend/core/logger';
import { preparedPostgres, type ThrowawayPostgres } from '@platform-backend/testing';
import { migrate, openDatabase, type Database, type DatabaseOptions } from '../src/index.ts';

export const quiet = createLogger({ service: 'test', level: 'silent' });

export const directory = new URL('./migrations/', import.meta.url);

export const migrateShelves = ({ ownerUrl, appRole }: ThrowawayPostgres): Promise<string[]> =>
  migrate({ url: ownerUrl, directory, appRole, logger: quiet });

/** A database with the shelves in it. */
export const preparedShelves = (): Promise<ThrowawayPostgres> => preparedPostgres('shelves', migrateShelves);

export const openShelves = (server: ThrowawayPostgres, options: Partial<DatabaseOptions> = {}): Database =>
  openDatabase({ url: server.appUrl, applicationName: 'shelves', logger: quiet, ...options });
