import type { Knex } from '@platform-backend/postgres';

/**
 * An address by which a pod puts the output of its step stays good for hours: whose it is says whether it is still awaited. Of what replicas
 * of before note nobody knows, and it is taken as before.
 */
export const up = (knex: Knex) =>
  knex.raw('ALTER TABLE object_removals ADD COLUMN run_id uuid, ADD COLUMN step_index smallint');
