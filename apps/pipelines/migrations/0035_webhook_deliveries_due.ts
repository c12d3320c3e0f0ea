import type { Knex } from '@platform-backend/postgres';

/** When the first delivery of all is due is asked by every replica that rests. */
export const up = (knex: Knex) =>
  knex.raw('CREATE INDEX webhook_deliveries_first_due ON webhook_deliveries (look_at) WHERE look_at IS NOT NULL');
