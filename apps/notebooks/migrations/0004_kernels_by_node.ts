import type { Knex } from '@platform-backend/postgres';

/** Every replica renews the leases of its own kernels. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('CREATE INDEX kernels_by_node ON kernels (node_id) WHERE ended_at IS NULL');
}
