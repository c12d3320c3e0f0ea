import { createServiceDatabase, dropServiceDatabase, type ServiceDatabase } from '@platform-backend/embedded';
import { randomBytes } from 'node:crypto';
import { sharedServer } from './shared-servers.ts';

export interface ThrowawayPostgres extends ServiceDatabase {
  /** The superuser's connection to the server, for tests of what only it may see or do. */
  readonly superuserUrl: string;
  /** This database, as the superuser, who sees the rows of all organisations. */
  readonly adminUrl: string;
  /** Removes the database and its roles, whoever is still connected. */
  readonly drop: () => Promise<void>;
}

/**
 * A fresh, empty database on a real PostgreSQL, with an owner role for migrations and an app role that
 * owns nothing. The server starts with the first call and is shared by all test files of a run.
 */
export async function throwawayPostgres(): Promise<ThrowawayPostgres> {
  const { url: superuserUrl } = await sharedServer<{ url: string }>(new URL('./shared-postgres.ts', import.meta.url));
  const name = `test_${randomBytes(5).toString('hex')}`;
  const database = await createServiceDatabase({
    serverUrl: superuserUrl,
    name,
    ownerPassword: randomBytes(12).toString('hex'),
    appPassword: randomBytes(12).toString('hex'),
    strategy: 'file_copy',
  });
  const adminUrl = new URL(superuserUrl);
  adminUrl.pathname = `/${name}`;
  return { ...database, superuserUrl, adminUrl: adminUrl.href, drop: () => dropServiceDatabase(superuserUrl, name) };
}
