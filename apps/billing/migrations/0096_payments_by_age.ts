import type { Knex } from '@platform-backend/postgres';

/** For reading all payments of an organisation in their order. */
export const up = (knex: Knex): Promise<unknown> =>
  knex.raw('CREATE INDEX payments_of_organisations ON payments (organisation_id, created_at, id)');
