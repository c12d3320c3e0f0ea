import { createEventsSetAside, createEventTables, type Knex } from '@platform-backend/postgres';

export async function up(knex: Knex): Promise<void> {
  await createEventTables(knex);
  await createEventsSetAside(knex);
}
