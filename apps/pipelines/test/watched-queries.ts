import type { Database } from '@platform-backend/postgres';
import pg from 'pg';

interface Query {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
}

/** Of a plan as EXPLAIN gives it, what is looked at here. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

export interface WatchedQueries {
  /** Those that read a table from end to end or sort what they find in memory: a line each. */
  readonly unindexed: (url: string) => Promise<readonly string[]>;
}

/** Notes every query that a service sends from now on, whoever sends it, so that none can be forgotten. */
export function watchQueries(database: Database): WatchedQueries {
  const queries = new Map<string, Query>();
  const note = ({ sql, bindings }: Query): void => {
    if (!/^\s*(?:select|insert|update|delete|with)\b/i.test(sql)) return;
    // Lists of other lengths make the same plan.
    const shape = sql
      .replaceAll(/(?:\$\d+|DEFAULT)(?:, ?(?:\$\d+|DEFAULT))*/g, '$')
      .replaceAll(/(?:\(\$\)(?:, ?)?)+/g, '($)');
    if (!queries.has(shape)) queries.set(shape, { sql, bindings: bindings ?? [] });
  };
  database.knex.on('query', note);
  const send = database.statement.bind(database);
  database.statement = (organisationId, statement, values) => {
    note({ sql: statement.text, bindings: values });
    return send(organisationId, statement, values);
  };
  const sendForAll = database.systemStatement.bind(database);
  database.systemStatement = (statement, values, settings) => {
    note({ sql: statement.text, bindings: values });
    return sendForAll(statement, values, settings);
  };
  return {
    async unindexed(url) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        for (const method of AVOIDED) await client.query(`SET enable_${method} = off`);
        const problems: string[] = [];
        for (const [shape, query] of queries) {
          // Few rows may be sorted, where that spares the reading of more.
          const [unsorted, sorted] = [await troubles(client, query, 'off'), await troubles(client, query, 'on')];
          if (unsorted !== '' && sorted !== '') problems.push(`${sorted}: ${shape.replaceAll(/\s+/g, ' ')}`);
        }
        return problems;
      } finally {
        await client.end();
      }
    },
  };
}

async function troubles(client: pg.Client, { sql, bindings = [] }: Query, sorting: 'on' | 'off'): Promise<string> {
  for (const way of ['sort', 'incremental_sort']) await client.query(`SET enable_${way} = ${sorting}`);
  const text = `EXPLAIN (FORMAT JSON, COSTS OFF) ${sql}`;
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>({ text, values: [...bindings] });
  return (rows[0]?.['QUERY PLAN'] ?? []).flatMap(({ Plan: plan }) => troublesOf(plan)).join(', ');
}

/** The tables of tests are small: what is done so nevertheless cannot be done in another way where they are large. */
const AVOIDED = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'];

/** Indexes and tables that have rows only while there is something to do about them, and all of those are looked through. */
const TO_DO = new Set([
  'outbox_unpublished',
  'events_set_aside',
  'runs_not_over',
  'runs_cancelling',
  'runs_due',
  'runs_due_in_kernels',
  'runs_at_work',
  'runs_waiting',
  'runs_going_on',
]);

const SCANS = new Set(['Seq Scan', 'Index Scan', 'Index Only Scan', 'Bitmap Heap Scan']);
const SORTS = new Set(['Sort', 'Incremental Sort']);

/** `isBounded`: something above takes only the first of what comes. */
function troublesOf(node: PlanNode, isBounded = false): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Name': index = '', Plans: below = [] } = node;
  const own: string[] = [];
  const isToDo = TO_DO.has(index) || TO_DO.has(table);
  const isWhole = SCANS.has(type) && node['Index Cond'] === undefined && !isBounded && !isToDo;
  if (type === 'Seq Scan' && !isToDo) own.push(`reads ${table} from end to end`);
  else if (isWhole) own.push(`reads all of ${index}`);
  if (SORTS.has(type) && !below.every(isFew)) own.push('sorts in memory');
  // A limit above a sort bounds nothing of what is sorted.
  const bounds = type === 'Limit' || (isBounded && !SORTS.has(type));
  return [...own, ...below.flatMap((inner) => troublesOf(inner, bounds))];
}

/** Whether no more comes of it than was asked for by name or number, or than there is to do. */
function isFew({
  'Node Type': type,
  'Index Name': index = '',
  'Index Cond': condition = '',
  Plans: below = [],
}: PlanNode): boolean {
  if (SCANS.has(type)) return NAMED.test(condition) || TO_DO.has(index);
  // What stands in a CTE is looked at there.
  return type === 'Limit' || type === 'CTE Scan' || (below.length > 0 && below.every(isFew));
}

const NAMED = /\b(?:id|sequence|key) = /;
