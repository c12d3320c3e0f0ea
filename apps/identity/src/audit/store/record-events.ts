import {
  auditEntryOf,
  auditRecorded,
  newId,
  storableJson,
  type ActorContext,
  type AuditEntry,
  type Decision,
} from '@platform-backend/core';
import { encodeEvent, publishedEvent } from '@platform-backend/events';
import {
  insertIntoOutbox,
  OUTBOX_CHANNEL,
  runPrepared,
  type Columns,
  type Database,
  type Knex,
} from '@platform-backend/postgres';
import type { IdentityEvent } from '../../events.ts';
import { auditEntryColumns } from './audit-log-store.ts';

/**
 * Writes what has happened into the audit log and the outbox, in the transaction of the change itself. Every store
 * calls it with a decision's events, so a change without its audit entry cannot be written.
 */
export async function recordEvents(
  trx: Knex.Transaction,
  caller: ActorContext,
  events: readonly IdentityEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const name = caller.actor.type === 'api_key' ? await nameOfKey(trx, caller.actor.id) : undefined;
  await runPrepared(trx, recordStatement, [...recordedValues(named(caller, name), events), OUTBOX_CHANNEL]);
}

/** The entries of the audit log and the events, as the statements below are given them. */
function recordedValues(by: ActorContext, events: readonly IdentityEvent[]): [entries: string, events: string] {
  const entries = events.map((event) => auditEntryOf(event, by, newId()));
  const published = [...events, ...entries.map(auditRecorded)].map((event) => publishedEvent('identity', by, event));
  return [
    storableJson(entries.map((entry) => recordOf(by.organisationId, entry))),
    `[${published.map(encodeEvent).join(',')}]`,
  ];
}

/** A row as JSON, in which lists and objects are no text. */
const recordOf = (organisationId: string, entry: AuditEntry) => ({
  ...rowOf(organisationId, entry),
  before: entry.before,
  after: entry.after,
});

const entryColumns = ['organisation_id', ...auditEntryColumns.names].join(', ');

/** The parts of a statement that write both. It wakes the relay itself. */
const recording = (entries: string, events: string): string => `
  entries AS (
    INSERT INTO audit_entries (${entryColumns})
    SELECT ${entryColumns} FROM jsonb_populate_recordset(NULL::audit_entries, ${entries}::jsonb)
  ), events AS (
    ${insertIntoOutbox(`jsonb_array_elements(${events}::jsonb) WITH ORDINALITY AS given (e, position) ORDER BY position`)}
  )`;

const recordStatement = {
  name: 'record-events',
  text: `WITH ${recording('?', '?')} SELECT pg_notify(?, '')`,
};

/** A table to which rows are added that nothing else is written with. */
export interface RowTable<State> {
  readonly name: string;
  readonly columns: Columns<State>;
}

/** Writes a row that is new, with all that is recorded of it, in one statement: `$1` and `$2` as above, `$3` the channel, `$4` the organisation. */
export const addRowStatement = <State>({ name, columns }: RowTable<State>) => {
  const columnNames = writtenColumns(columns);
  return {
    name: `add-to-${name}`,
    text: `
      WITH ${recording('$1', '$2')}, added AS (
        INSERT INTO ${name} (organisation_id, ${columnNames.join(', ')})
        VALUES ($4, ${columnNames.map((_, at) => `$${at + 5}`).join(', ')})
      )
      SELECT pg_notify($3, '')`,
  };
};

export const addRowValues = <State>(
  { columns }: RowTable<State>,
  by: ActorContext,
  { state, events }: Pick<Decision<State, IdentityEvent>, 'state' | 'events'>,
): unknown[] => {
  const row = columns.write(state);
  return [
    ...recordedValues(by, events),
    OUTBOX_CHANNEL,
    by.organisationId,
    ...writtenColumns(columns).map((name) => row[name]),
  ];
};

/** Those that the database counts are not among them. */
const writtenColumns = <State>(columns: Columns<State>): string[] => Object.keys(columns.write(null));

/** Adds rows of what was decided without looking at anything stored, in one round trip to the database, and one more for the name of a key. */
export function additionsTo<State>(database: Database, table: RowTable<State>) {
  const statement = addRowStatement(table);
  return async <Result>(caller: ActorContext, decision: Decision<State, IdentityEvent, Result>): Promise<Result> => {
    const by = caller.actor.type === 'api_key' ? await withNameOfKey(database, caller) : caller;
    await database.statement(by.organisationId, statement, addRowValues(table, by, decision));
    return decision.result;
  };
}

/** Writes an entry that another service has published. Its events may come again: an entry that is there stays as it is. */
export async function addForeignEntry(trx: Knex.Transaction, organisationId: string, entry: AuditEntry): Promise<void> {
  const isByKey = entry.actorType === 'api_key';
  const actorName = isByKey ? await nameOfKey(trx, entry.actorId) : undefined;
  const row = rowOf(organisationId, { ...entry, actorName: actorName ?? entry.actorName });
  await trx('audit_entries').insert(row).onConflict().ignore();
}

const rowOf = (organisationId: string, entry: AuditEntry) => ({
  ...auditEntryColumns.write(entry),
  organisation_id: organisationId,
});

/** A caller assertion carries no key's name, so it is looked up where a change is made with a key. */
const named = (by: ActorContext, name: string | undefined): ActorContext =>
  name === undefined ? by : { ...by, actor: { ...by.actor, name } };

/** Of a name that is longer than the contract allows by now, events and history get the beginning. */
const keyName = 'left(name, 2000) AS name';

async function nameOfKey(trx: Knex.Transaction, id: string): Promise<string | undefined> {
  const name = trx.raw<{ name: string }>(keyName);
  return (await trx('api_keys').where({ id }).first<{ name: string } | undefined>(name))?.name;
}

const nameStatement = { name: 'name-of-api-key', text: `SELECT ${keyName} FROM api_keys WHERE id = $1` };

async function withNameOfKey(database: Database, by: ActorContext): Promise<ActorContext> {
  const [key] = await database.statement<{ name: string }>(by.organisationId, nameStatement, [by.actor.id]);
  return named(by, key?.name);
}
