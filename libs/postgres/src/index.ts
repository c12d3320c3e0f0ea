export type { Knex } from 'knex';
export { advisoryLock } from './advisory-lock.ts';
export { changesIn, recordEventsOf, type RecordEvents, type Stored } from './changes.ts';
export { bigintColumn, column, columns, jsonColumn, nullable, readOnlyColumn, type Columns } from './columns.ts';
export { openDatabase, type Database, type DatabaseOptions, type Work } from './database.ts';
export { appendToOutbox, insertIntoOutbox } from './events/append-to-outbox.ts';
/** @public What migrations export as theirs is not seen by the search for dead code. */
export { createEventsSetAside } from './events/event-tables.ts';
export { createEventTables, OUTBOX_CHANNEL } from './events/event-tables.ts';
export { postgresInbox } from './events/postgres-inbox.ts';
export { postgresOutbox } from './events/postgres-outbox.ts';
export type { ConstraintErrors } from './failures.ts';
export { firstOrThrow } from './first-or-throw.ts';
export { forgetOldest } from './forget-oldest.ts';
/** @public What migrations export as theirs is not seen by the search for dead code. */
export { createKeyedCalls } from './keyed-call-notes.ts';
export { postgresIdempotencyStore as postgresIdempotencyStore } from './idempotency-store.ts';
export { pageOf, type Page, type PageRequest } from './keyset.ts';
export { countOf, listPage } from './list-page.ts';
export type { Listening } from './listen.ts';
export { migrate } from './migrate.ts';
export type { Migration } from './migration-files.ts';
export { runPrepared } from './prepared.ts';
export { resealRows } from './reseal-rows.ts';
export { rowBatches, type SelectStatement } from './row-batches.ts';
export { assertEveryTableIsTenantScoped, assertTimestampsFitDates, requireRestrictedRole } from './schema-rules.ts';
export { acrossOrganisations, grantToAppRole, tenantTable } from './tenancy.ts';
export { untilFirst } from './until-first.ts';
