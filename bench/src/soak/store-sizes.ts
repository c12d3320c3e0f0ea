import { driver } from '@platform-backend/mongo/testing';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** What lies in the stores. */
export interface StoreSizes {
  /** Rows and documents, by `SERVICE.TABLE`. */
  readonly rows: ReadonlyMap<string, number>;
  /** By store: those of a database without what all databases of a server have in common. */
  readonly bytes: ReadonlyMap<string, number>;
  /** Files of documents, datasets and the like. */
  readonly objects: number;
}

interface Stored {
  readonly home: string;
  readonly databases: Readonly<Record<string, string>>;
}

export async function storeSizes({ home, databases }: Stored): Promise<StoreSizes> {
  const rows = new Map<string, number>();
  const bytes = new Map<string, number>();
  for (const [service, url] of Object.entries(databases)) {
    if (url.startsWith('postgres')) await addTables(service, url, rows, bytes);
    else await addCollections(service, url, rows);
  }
  const objects = files(join(home, 'objects'));
  for (const [store, paths] of [
    ['MongoDB', files(join(home, 'mongo'))],
    ['NATS', files(join(home, 'nats'))],
    ['objects', objects],
    ['logs', files(join(home, 'logs'))],
  ] as const)
    bytes.set(store, sum(paths.map(({ size }) => size)));
  return { rows, bytes, objects: objects.length };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

interface TableRow {
  readonly name: string;
  readonly rows: string;
}

async function addTables(service: string, url: string, rows: Map<string, number>, bytes: Map<string, number>) {
  const client = new pg.Client(url);
  await client.connect();
  try {
    // Row-level security shows its owner no rows either; PostgreSQL counts what it writes.
    const tables = await client.query<TableRow>(
      'SELECT relname AS name, n_tup_ins - n_tup_del AS rows FROM pg_stat_user_tables',
    );
    for (const { name, rows: count } of tables.rows) rows.set(`${service}.${name}`, Number(count));
    const size = await client.query<{ bytes: string }>('SELECT pg_database_size(current_database()) AS bytes');
    bytes.set(`PostgreSQL ${service}`, Number(size.rows[0]?.bytes));
  } finally {
    await client.end();
  }
}

async function addCollections(service: string, url: string, rows: Map<string, number>): Promise<void> {
  const client = await driver.MongoClient.connect(url);
  try {
    const database = client.db();
    for (const { name } of await database.listCollections().toArray())
      rows.set(`${service}.${name}`, await database.collection(name).countDocuments());
  } finally {
    await client.close();
  }
}

function files(directory: string): { readonly path: string; readonly size: number }[] {
  try {
    return readdirSync(directory, { withFileTypes: true, recursive: true }).flatMap((entry) => {
      if (!entry.isFile()) return [];
      const path = join(entry.parentPath, entry.name);
      return [{ path, size: lstatSync(path, { throwIfNoEntry: false })?.size ?? 0 }];
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
