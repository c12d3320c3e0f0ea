import type { Knex } from 'knex';
import { tenantTable } from '../tenancy.ts';

/** Woken by NOTIFY on this channel when events were appended. */
export const OUTBOX_CHANNEL = 'outbox';

/** A transaction with this setting sees the outbox of every organisation. Only the relay and replays set it. */
export const RELAY_SETTINGS = { 'app.outbox': 'relay' };

/** A transaction with this setting sees the inbox of every organisation, to prune it. */
export const INBOX_SETTINGS = { 'app.inbox': 'prune' };

/** Rows deleted in one go, so that pruning never holds many locks. */
export const PRUNE_LIMIT = 5_000;

/**
 * Creates `outbox` and `inbox`; a service's first migrations call it. Databases exist that were made by it, so
 * it never changes: a later change of these tables is a further function and a further migration.
 */
export async function createEventTables(knex: Knex): Promise<void> {
  await createOutbox(knex);
  await createInbox(knex);
}

/**
 * Creates `events_set_aside`, where the relay puts events that can never be published; a migration after
 * `createEventTables` calls it, `export { createEventsSetAside as up }`.
 *
 * @public
 */
export async function createEventsSetAside(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE events_set_aside (
      sequence bigint PRIMARY KEY,
      id text NOT NULL UNIQUE,
      organisation_id text NOT NULL,
      type text NOT NULL,
      subject text NOT NULL,
      envelope jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL,
      reason text NOT NULL,
      set_aside_at timestamptz(3) NOT NULL DEFAULT now()
    );
  `);
  await tenantTable(knex, 'events_set_aside', { open: [{ setting: 'app.outbox', value: 'relay', allow: 'all' }] });
}

async function createOutbox(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE outbox (
      sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      organisation_id text NOT NULL,
      type text NOT NULL,
      subject text NOT NULL,
      envelope jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      published_at timestamptz(3)
    );
    CREATE INDEX outbox_unpublished ON outbox (sequence) WHERE published_at IS NULL;
    CREATE INDEX outbox_unpublished_by_subject ON outbox (subject, sequence) WHERE published_at IS NULL;
    CREATE INDEX outbox_by_age ON outbox (created_at, sequence);
  `);
  await tenantTable(knex, 'outbox', { open: [{ setting: 'app.outbox', value: 'relay', allow: 'all' }] });
}

async function createInbox(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE inbox (
      consumer text NOT NULL,
      event_id text NOT NULL,
      organisation_id text NOT NULL,
      handled_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (consumer, event_id)
    );
    CREATE INDEX inbox_by_age ON inbox (handled_at);
  `);
  await tenantTable(knex, 'inbox', { open: [{ setting: 'app.inbox', value: 'prune', allow: 'all' }] });
}
