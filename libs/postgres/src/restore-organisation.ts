import type { OrganisationRestore } from '@platform-backend/service';
import pg from 'pg';
import { clientConfig } from './connection.ts';
import { isLockTaken } from './failures.ts';
import { ORGANISATION_SETTING } from './tenancy.ts';

/** Of events and keyed calls: what was published, handled and answered stays so, whatever is restored. */
const NOT_RESTORED = ['outbox', 'inbox', 'events_set_aside', 'keyed_calls'];
const ORGANISATION_COLUMN = 'organisation_id';
/** Of rows as JSON, so much of which is in memory at once, or one row that has more. */
const BYTES_AT_ONCE = 16 * 1024 * 1024;
const ROWS_AT_ONCE = 1_000;
/** Whoever writes to a table waits behind us for so long at most, whichever organisation it writes for. */
const LOCK_WAIT_MS = 1_000;
/** Longer than a transaction of a service may wait for a row of ours. */
const LOCK_TRIES = 30;

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Those that its rows refer to. */
  readonly after: readonly string[];
}

/**
 * Puts what a database has of an organisation in the place of what another one has, all in one transaction, as the role of the service:
 * policies keep both sides to that organisation. What others have added meanwhile goes as well; only for the moment of its end do writers of
 * the tables wait. Answers how many rows each table got.
 *
 * @throws Error when the schemas differ, or a row would belong to another organisation too.
 */
export async function restoreOrganisation({
  from,
  to,
  organisationId,
  kept = [],
}: OrganisationRestore): Promise<Record<string, number>> {
  await using source = await connected(from);
  await using target = await connected(to);
  await source.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  await setOrganisation(source, organisationId);
  await target.query('BEGIN');
  await setOrganisation(target, organisationId);
  const tables = inOrder(await tablesOf(target, kept));
  requireSame(tables, inOrder(await tablesOf(source, kept)));
  for (const { name } of tables.toReversed())
    await target.query(`DELETE FROM ${quoted(name)} WHERE ${ORGANISATION_COLUMN} = $1`, [organisationId]);
  const restored: Record<string, number> = {};
  for (const table of tables) restored[table.name] = await copyTable(table, { source, target, organisationId });
  if (Object.values(restored).every((rows) => rows === 0))
    throw new Error(`the database to restore from has nothing of ${organisationId}`);
  await lockForWriters(target, tables);
  for (const { name } of tables.toReversed())
    await target.query(`DELETE FROM ${quoted(name)} WHERE ${ORGANISATION_COLUMN} = $1 AND ${OF_OTHERS}`, [
      organisationId,
    ]);
  await target.query('COMMIT');
  return restored;
}

/** What this transaction has not put there itself. */
const OF_OTHERS = 'xmin <> pg_current_xact_id()::xid';

/**
 * Nobody adds a row until the end of the transaction, and what was added is seen by its next statement. Somebody who waits for one of our
 * rows and has written to a table would wait for us and we for them: we let go until they have given up.
 *
 * @throws Error when others do not come to an end.
 */
async function lockForWriters(target: pg.Client, tables: readonly Table[]): Promise<void> {
  await target.query(`SET LOCAL lock_timeout = ${String(LOCK_WAIT_MS)}`);
  const names = tables.map(({ name }) => quoted(name)).join(', ');
  for (let tries = 1; ; tries += 1) {
    await target.query('SAVEPOINT unlocked');
    try {
      // One table after the other is locked, and whoever writes to the first waits for the last one as well.
      await target.query(`SET LOCAL statement_timeout = ${String(LOCK_WAIT_MS)}`);
      await target.query(`LOCK TABLE ${names} IN SHARE ROW EXCLUSIVE MODE`);
      await target.query('SET LOCAL statement_timeout = 0');
      return;
    } catch (error) {
      if (!isLockTaken(error) || tries === LOCK_TRIES) throw error;
      await target.query('ROLLBACK TO SAVEPOINT unlocked');
    }
  }
}

interface Sides extends Pick<OrganisationRestore, 'organisationId'> {
  readonly source: pg.Client;
  readonly target: pg.Client;
}

async function copyTable({ name, columns }: Table, { source, target, organisationId }: Sides): Promise<number> {
  const table = quoted(name);
  const names = columns.map(quoted).join(', ');
  const ofOrganisation = `FROM ${table} t WHERE ${ORGANISATION_COLUMN} = ${pg.escapeLiteral(organisationId)}`;
  // As text, so that no number and no JSON is read and written anew by us.
  const row = 'to_json(t)::text';
  const widest = await source.query<{ bytes: number | null }>(
    `SELECT max(octet_length(${row})) AS bytes ${ofOrganisation}`,
  );
  const fitting = Math.floor(BYTES_AT_ONCE / (widest.rows[0]?.bytes ?? BYTES_AT_ONCE));
  const atOnce = Math.max(1, Math.min(fitting, ROWS_AT_ONCE));
  await source.query(`DECLARE organisation_rows NO SCROLL CURSOR FOR SELECT ${row} AS row ${ofOrganisation}`);
  let count = 0;
  for (;;) {
    const { rows } = await source.query<{ row: string }>(`FETCH ${String(atOnce)} FROM organisation_rows`);
    if (rows.length === 0) break;
    count += rows.length;
    await target.query(
      `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE
       SELECT ${names} FROM json_populate_recordset(NULL::${table}, $1::json)`,
      [`[${rows.map((one) => one.row).join(',')}]`],
    );
  }
  await source.query('CLOSE organisation_rows');
  return count;
}

async function connected(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client(clientConfig({ url, applicationName: 'restore of an organisation' }));
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}

const setOrganisation = (client: pg.Client, organisationId: string) =>
  client.query('SELECT set_config($1, $2, true)', [ORGANISATION_SETTING, organisationId]);

async function tablesOf(client: pg.Client, kept: readonly string[]): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT c.relname AS name,
            (SELECT array_agg(a.attname::text ORDER BY a.attname) FROM pg_attribute a
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
            coalesce((SELECT array_agg(DISTINCT f.confrelid::regclass::text) FROM pg_constraint f
                      WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid), '{}') AS after
     FROM pg_class c
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relforcerowsecurity AND c.relname <> ALL ($1)
       AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = $2)
     ORDER BY c.relname`,
    [[...NOT_RESTORED, ...kept], ORGANISATION_COLUMN],
  );
  return rows;
}

/** What is referred to comes first. */
function inOrder(tables: readonly Table[]): Table[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const ordered = new Set<Table>();
  const add = (table: Table): void => {
    for (const name of table.after) {
      const other = byName.get(name);
      if (other && !ordered.has(other)) add(other);
    }
    ordered.add(table);
  };
  for (const table of tables) add(table);
  return [...ordered];
}

function requireSame(ours: readonly Table[], theirs: readonly Table[]): void {
  const told = (tables: readonly Table[]) => new Map(tables.map(({ name, columns }) => [name, columns.join(', ')]));
  const [here, there] = [told(ours), told(theirs)];
  const differing = [...new Set([...here.keys(), ...there.keys()])].filter(
    (name) => here.get(name) !== there.get(name),
  );
  if (differing.length > 0)
    throw new Error(`the tables ${differing.join(', ')} differ: migrate the database to restore from first`);
}

const quoted = (name: string): string => pg.escapeIdentifier(name);
