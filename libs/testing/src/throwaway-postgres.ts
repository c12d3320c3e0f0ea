import {
  createServiceDatabase,
  dropServiceDatabase,
  serviceDatabase,
  type ServiceDatabase,
} from '@platform-backend/embedded';
import { createHash, randomBytes } from 'node:crypto';
import pg from 'pg';
import { sharedServer, testRun } from './shared-servers.ts';

export interface ThrowawayPostgres extends ServiceDatabase {
  /** The superuser's connection to the server, for tests of what only it may see or do. */
  readonly superuserUrl: string;
  /** This database, as the superuser, who sees the rows of all organisations. */
  readonly adminUrl: string;
  /** Removes the database and the roles that are its own, whoever is still connected. */
  readonly drop: () => Promise<void>;
}

/**
 * A fresh, empty database on a real PostgreSQL, with an owner role for migrations and an app role that
 * owns nothing. The server starts with the first call and is shared by all test files of a run.
 */
export async function throwawayPostgres(): Promise<ThrowawayPostgres> {
  const password = () => randomBytes(12).toString('hex');
  return createDatabase(await serverUrl(), newName(), password(), password());
}

/**
 * A database with what `prepare` makes in an empty one, such as the tables of a service. It is made once in a run for all who
 * ask with the same `purpose`, and copied; the copies have their roles in common.
 */
export async function preparedPostgres(
  purpose: string,
  prepare: (empty: ThrowawayPostgres) => Promise<unknown>,
): Promise<ThrowawayPostgres> {
  const superuserUrl = await serverUrl();
  await using server = await connected(superuserUrl);
  const template = await preparedTemplate(server, superuserUrl, purpose, prepare);
  const [name, { ownerRole, appRole }] = [newName(), template];
  await server.query(`CREATE DATABASE ${name} TEMPLATE ${template.name} OWNER ${ownerRole} STRATEGY file_copy`);
  await server.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
  await server.query(`GRANT CONNECT ON DATABASE ${name} TO ${appRole}`);
  return {
    ...template,
    name,
    superuserUrl,
    ownerUrl: inDatabase(template.ownerUrl, name),
    appUrl: inDatabase(template.appUrl, name),
    adminUrl: inDatabase(superuserUrl, name),
    async drop() {
      await using admin = await connected(superuserUrl);
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/** The template for a purpose, made by whichever process of the run comes first; the others wait for it. */
async function preparedTemplate(
  server: pg.Client,
  serverUrl: string,
  purpose: string,
  prepare: (empty: ThrowawayPostgres) => Promise<unknown>,
): Promise<ServiceDatabase> {
  const name = `prepared_${createHash('sha256').update(`${testRun()} ${purpose}`).digest('hex').slice(0, 16)}`;
  // Whoever knows how to connect to the server may know this one.
  const { password } = new URL(serverUrl);
  await server.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
  try {
    const { rowCount } = await server.query('SELECT FROM pg_database WHERE datname = $1 AND datistemplate', [name]);
    if (rowCount === 0) {
      // Somebody may have begun and failed.
      await dropServiceDatabase(serverUrl, name);
      await prepare(await createDatabase(serverUrl, name, password, password));
      await server.query(`ALTER DATABASE ${name} IS_TEMPLATE true`);
    }
    return serviceDatabase({ serverUrl, name, ownerPassword: password, appPassword: password });
  } finally {
    await server.query('SELECT pg_advisory_unlock(hashtext($1))', [name]);
  }
}

async function serverUrl(): Promise<string> {
  const { url } = await sharedServer<{ url: string }>(new URL('./shared-postgres.ts', import.meta.url));
  return url;
}

async function createDatabase(
  superuserUrl: string,
  name: string,
  ownerPassword: string,
  appPassword: string,
): Promise<ThrowawayPostgres> {
  const asked = { serverUrl: superuserUrl, name, ownerPassword, appPassword, strategy: 'file_copy' } as const;
  return {
    ...(await createServiceDatabase(asked)),
    superuserUrl,
    adminUrl: inDatabase(superuserUrl, name),
    drop: () => dropServiceDatabase(superuserUrl, name),
  };
}

const newName = (): string => `test_${randomBytes(5).toString('hex')}`;

function inDatabase(url: string, name: string): string {
  const here = new URL(url);
  here.pathname = `/${name}`;
  return here.href;
}

async function connected(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
