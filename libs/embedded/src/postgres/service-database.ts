import pg from 'pg';

export interface ServiceDatabaseRequest {
  /** A superuser's connection. */
  readonly serverUrl: string;
  /** Names the database; its roles are `<name>_owner` and `<name>_app`. */
  readonly name: string;
  readonly ownerPassword: string;
  readonly appPassword: string;
  /** How PostgreSQL copies its template; `file_copy` takes a tenth of the work of its default on a server that is not durable. */
  readonly strategy?: 'wal_log' | 'file_copy';
}

export interface ServiceDatabase {
  readonly name: string;
  readonly ownerRole: string;
  readonly appRole: string;
  /** For migrations: owns the database and what is in it. */
  readonly ownerUrl: string;
  /** For the running service: owns nothing and cannot escape row-level security. */
  readonly appUrl: string;
}

/**
 * Creates a service's database with its two roles, or brings what exists to the same state: passwords
 * and attributes are set every time. Nobody else may connect to it.
 */
export async function createServiceDatabase(request: ServiceDatabaseRequest): Promise<ServiceDatabase> {
  const { serverUrl, name, strategy = 'wal_log' } = request;
  const database = serviceDatabase(request);
  const { ownerRole, appRole, ownerUrl } = database;
  const server = await connected(serverUrl);
  try {
    await ensureRole(server, ownerRole, request.ownerPassword);
    await ensureRole(server, appRole, request.appPassword);
    const { rowCount } = await server.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0)
      await server.query(`CREATE DATABASE ${quoted(name)} OWNER ${quoted(ownerRole)} STRATEGY ${strategy}`);
    await server.query(`REVOKE ALL ON DATABASE ${quoted(name)} FROM PUBLIC`);
    await server.query(`GRANT CONNECT ON DATABASE ${quoted(name)} TO ${quoted(appRole)}`);
  } finally {
    await server.end();
  }
  const owner = await connected(ownerUrl);
  try {
    await owner.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
    await owner.query(`GRANT USAGE ON SCHEMA public TO ${quoted(appRole)}`);
  } finally {
    await owner.end();
  }
  return database;
}

/** What a service's database and its roles are called, and how each connects, whether it is there or not. */
export function serviceDatabase({
  serverUrl,
  name,
  ownerPassword,
  appPassword,
}: ServiceDatabaseRequest): ServiceDatabase {
  const ownerRole = `${name}_owner`;
  const appRole = `${name}_app`;
  const ownerUrl = urlFor(serverUrl, name, ownerRole, ownerPassword);
  return { name, ownerRole, appRole, ownerUrl, appUrl: urlFor(serverUrl, name, appRole, appPassword) };
}

/** Removes a service's database, its connections and its roles. Nothing happens if they are gone. */
export async function dropServiceDatabase(serverUrl: string, name: string): Promise<void> {
  const server = await connected(serverUrl);
  try {
    await server.query(`DROP DATABASE IF EXISTS ${quoted(name)} WITH (FORCE)`);
    await server.query(`DROP ROLE IF EXISTS ${quoted(`${name}_app`)}`);
    await server.query(`DROP ROLE IF EXISTS ${quoted(`${name}_owner`)}`);
  } finally {
    await server.end();
  }
}

async function ensureRole(server: pg.Client, role: string, password: string): Promise<void> {
  const { rowCount } = await server.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
  const verb = rowCount === 0 ? 'CREATE' : 'ALTER';
  const attributes = 'LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS INHERIT';
  await server.query(`${verb} ROLE ${quoted(role)} ${attributes} PASSWORD ${pg.escapeLiteral(password)}`);
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // A server that is stopped under an idle connection must not end our process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

function urlFor(serverUrl: string, database: string, user: string, password: string): string {
  const url = new URL(serverUrl);
  url.username = user;
  url.password = encodeURIComponent(password);
  url.pathname = `/${database}`;
  return url.href;
}

const quoted = (identifier: string): string => pg.escapeIdentifier(identifier);
