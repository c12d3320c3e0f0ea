import type { Knex } from 'knex';

/** Set in every tenant transaction; policies compare with it. */
export const ORGANISATION_SETTING = 'app.organisation_id';

/** Set by `migrate` on its connections, so that migrations need not know the role's name. */
export const APP_ROLE_SETTING = 'platform.app_role';

export type Privilege = 'select' | 'insert' | 'update' | 'delete';

/** Opens rows outside the caller's organisation to a transaction that knows an exact value of them. */
export interface OpenedRows {
  /** The column that must equal the setting. */
  column: string;
  /** Such as `app.api_key_hash`; absent or empty it opens nothing. */
  setting: string;
  /** The column's type, when it is not text: `uuid`, `bytea` (written as `\x...`). */
  type?: string;
  /** What may be done with the row; reading only unless said otherwise. */
  allow?: 'select' | 'update' | 'delete' | 'all';
}

/** Opens all rows to a transaction in which the setting has exactly this value, such as the outbox relay's. */
export interface OpenedTable {
  setting: string;
  value: string;
  allow?: 'select' | 'update' | 'delete' | 'all';
}

export interface TenantTableOptions {
  /** The column that holds the organisation's id. */
  column?: string;
  /** What the app role may do; an append-only table leaves out update and delete. */
  privileges?: readonly Privilege[];
  open?: readonly (OpenedRows | OpenedTable)[];
}

/**
 * Makes a table visible only organisation by organisation, to its owner as well, and grants the app role its use.
 * Without the setting not one row is visible and none can be written. For use in migrations.
 */
export async function tenantTable(knex: Knex, table: string, options: TenantTableOptions = {}): Promise<void> {
  const { column = 'organisation_id', privileges, open = [] } = options;
  await knex.raw('ALTER TABLE ?? ENABLE ROW LEVEL SECURITY', [table]);
  await knex.raw('ALTER TABLE ?? FORCE ROW LEVEL SECURITY', [table]);
  await createPolicy(knex, {
    table,
    name: 'of_the_organisation',
    allow: 'all',
    rows: equals(column, ORGANISATION_SETTING),
  });
  for (const opening of open) {
    const name = `opened_by_${opening.setting.replaceAll('.', '_')}`;
    await createPolicy(knex, { table, name, allow: opening.allow ?? 'select', rows: rowsOf(opening) });
  }
  await grantToAppRole(knex, table, privileges);
}

/**
 * Lets a migration reach the rows of every organisation in these tables, which forced row-level security hides from
 * their owner as well. It is forced again afterwards.
 */
export async function acrossOrganisations(
  knex: Knex,
  tables: readonly string[],
  work: () => Promise<unknown>,
): Promise<void> {
  for (const table of tables) await knex.raw('ALTER TABLE ?? NO FORCE ROW LEVEL SECURITY', [table]);
  await work();
  for (const table of tables) await knex.raw('ALTER TABLE ?? FORCE ROW LEVEL SECURITY', [table]);
}

/** Lets the app role use a table. For tables that belong to no organisation; `tenantTable` does it itself. */
export async function grantToAppRole(
  knex: Knex,
  table: string,
  privileges: readonly Privilege[] = ['select', 'insert', 'update', 'delete'],
): Promise<void> {
  await knex.raw(`GRANT ${privileges.join(', ')} ON ?? TO ??`, [table, await appRoleOf(knex)]);
}

async function appRoleOf(knex: Knex): Promise<string> {
  const { rows } = await knex.raw<{ rows: { role: string | null }[] }>('SELECT current_setting(?, true) AS role', [
    APP_ROLE_SETTING,
  ]);
  const role = rows[0]?.role;
  if (!role) throw new Error('no app role is set: migrations run through migrate()');
  return role;
}

interface Condition {
  sql: string;
  bindings: readonly string[];
}

interface Policy {
  table: string;
  name: string;
  allow: 'select' | 'update' | 'delete' | 'all';
  rows: Condition;
}

async function createPolicy(knex: Knex, { table, name, allow, rows }: Policy): Promise<void> {
  // PostgreSQL takes USING as the check for written rows too. DDL takes no bound values, so they are quoted into the text.
  const statement = knex.raw(`CREATE POLICY ?? ON ?? FOR ${allow} USING (${rows.sql})`, [
    name,
    table,
    ...rows.bindings,
  ]);
  await knex.raw(statement.toQuery());
}

/** A setting that was local to an earlier transaction reads as an empty text, which must match nothing. */
function equals(column: string, setting: string, type?: string): Condition {
  const cast = type === undefined ? '' : `::${type}`;
  return { sql: `?? = nullif(current_setting(?, true), '')${cast}`, bindings: [column, setting] };
}

const rowsOf = (opening: OpenedRows | OpenedTable): Condition =>
  'column' in opening
    ? equals(opening.column, opening.setting, opening.type)
    : { sql: 'current_setting(?, true) = ?', bindings: [opening.setting, opening.value] };
