import type { Knex } from 'knex';
import { ORGANISATION_SETTING } from './tenancy.ts';

export interface TenantRule {
  /** Tables that on purpose belong to no organisation. One that does not exist, or is tenant scoped, is an error. */
  except?: readonly string[];
  /** The role services connect as; the present connection's role unless given. */
  appRole?: string;
}

/** knex's own bookkeeping; the app role may not touch it. */
const BOOKKEEPING = new Set(['knex_migrations', 'knex_migrations_lock']);

/**
 * Throws one error that lists everything by which rows of one organisation could become visible to another:
 * tables without forced row-level security or without a policy on the organisation, views that run with
 * their owner's rights, an app role that owns something or may bypass policies. For integration tests.
 */
export async function assertEveryTableIsTenantScoped(knex: Knex, rule: TenantRule = {}): Promise<void> {
  const { except = [] } = rule;
  const appRole = rule.appRole ?? (await currentRole(knex));
  const relations = await relationsOf(knex, appRole);
  const problems = [
    ...relations.flatMap((relation) => problemsOf(relation, except.includes(relation.name))),
    ...except
      .filter((name) => !relations.some((relation) => relation.name === name))
      .map((name) => `the exception ${name} does not exist`),
    ...(await problemsOfRole(knex, appRole)),
  ];
  if (problems.length > 0) throw new Error(`the schema leaves tenants unprotected:\n- ${problems.join('\n- ')}`);
}

/**
 * Throws when the connection's role is a superuser, may bypass row-level security or owns tables. Services
 * call it at start: connected as the wrong role, every policy would silently be off.
 */
export async function requireRestrictedRole(knex: Knex): Promise<void> {
  const problems = await problemsOfRole(knex, await currentRole(knex));
  if (problems.length > 0) throw new Error(`the database role is too powerful for a service: ${problems.join('; ')}`);
}

/** Throws when a moment is stored more finely than a Date can hold; keyset pages would then skip rows. */
export async function assertTimestampsFitDates(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name NOT LIKE 'knex\\_migrations%'
       AND data_type LIKE 'timestamp%' AND (datetime_precision > 3 OR data_type <> 'timestamp with time zone')
     ORDER BY 1`,
  );
  if (rows.length > 0) {
    throw new Error(`these columns are not timestamptz(3): ${rows.map(({ name }) => name).join(', ')}`);
  }
}

interface Relation {
  name: string;
  /** As in pg_class.relkind: r table, p partitioned table, v view, m materialised view. */
  kind: 'r' | 'p' | 'v' | 'm';
  forced: boolean;
  by_organisation: boolean;
  open_to_all: boolean;
  invoker_rights: boolean;
  usable: boolean;
}

function problemsOf(relation: Relation, excepted: boolean): string[] {
  const { name, kind } = relation;
  if (BOOKKEEPING.has(name)) return relation.usable ? [`the app role may use ${name}`] : [];
  if (kind === 'm') return excepted ? [] : [`the materialised view ${name} knows no policies`];
  if (kind === 'v') return excepted || relation.invoker_rights ? [] : [`the view ${name} is not security_invoker`];
  const scoped = relation.forced && relation.by_organisation;
  if (excepted) return scoped ? [`the exception ${name} is tenant scoped, so it need not be one`] : [];
  return [
    ...(relation.forced ? [] : [`the table ${name} has no forced row-level security`]),
    ...(relation.by_organisation ? [] : [`the table ${name} has no policy on ${ORGANISATION_SETTING}`]),
    ...(relation.open_to_all ? [`a policy of the table ${name} lets everyone in`] : []),
  ];
}

async function relationsOf(knex: Knex, appRole: string): Promise<Relation[]> {
  const { rows } = await knex.raw<{ rows: Relation[] }>(
    `SELECT c.relname AS name, c.relkind AS kind,
            c.relrowsecurity AND c.relforcerowsecurity AS forced,
            coalesce(bool_or(pg_get_expr(p.polqual, p.polrelid) LIKE '%' || :setting || '%'), false) AS by_organisation,
            coalesce(bool_or(pg_get_expr(p.polqual, p.polrelid) = 'true'
                          OR pg_get_expr(p.polwithcheck, p.polrelid) = 'true'), false) AS open_to_all,
            coalesce('security_invoker=true' = ANY (c.reloptions), false) AS invoker_rights,
            has_table_privilege(:appRole, c.oid, 'SELECT, INSERT, UPDATE, DELETE') AS usable
     FROM pg_class c
     JOIN pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_policy p ON p.polrelid = c.oid
     WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
       AND n.nspname NOT LIKE 'pg\\_%'
     GROUP BY c.oid ORDER BY c.relname`,
    { setting: ORGANISATION_SETTING, appRole },
  );
  return rows;
}

async function currentRole(knex: Knex): Promise<string> {
  const { rows } = await knex.raw<{ rows: { role: string }[] }>('SELECT current_user AS role');
  return rows[0]?.role ?? '';
}

/** Membership counts as well: a member of the owner may do what the owner may. */
async function problemsOfRole(knex: Knex, role: string): Promise<string[]> {
  const { rows } = await knex.raw<{ rows: { problem: string }[] }>(
    `SELECT format('%s is a superuser', rolname) AS problem FROM pg_roles WHERE rolsuper AND pg_has_role(:role, oid, 'MEMBER')
     UNION ALL
     SELECT format('%s bypasses row-level security', rolname) FROM pg_roles
     WHERE rolbypassrls AND NOT rolsuper AND pg_has_role(:role, oid, 'MEMBER')
     UNION ALL
     SELECT format('%s owns %s', pg_get_userbyid(c.relowner), c.relname) FROM pg_class c
     JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE pg_has_role(:role, c.relowner, 'MEMBER') AND n.nspname !~ '^(pg_|information_schema$)'
     UNION ALL
     SELECT format('%s owns the schema %s', pg_get_userbyid(nspowner), nspname) FROM pg_namespace
     WHERE pg_has_role(:role, nspowner, 'MEMBER') AND nspname !~ '^(pg_|information_schema$)'
     UNION ALL
     SELECT format('%s owns the database', pg_get_userbyid(datdba)) FROM pg_database
     WHERE datname = current_database() AND pg_has_role(:role, datdba, 'MEMBER')`,
    { role },
  );
  return rows.map(({ problem }) => problem);
}
