import { tenantTable, type Knex } from '../../src/index.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE shelves (
      id uuid PRIMARY KEY,
      organisation_id text NOT NULL,
      name text NOT NULL,
      secret_hash bytea,
      copies bigint NOT NULL DEFAULT 0,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      CONSTRAINT shelves_name UNIQUE (organisation_id, name),
      CONSTRAINT shelves_copies CHECK (copies >= 0)
    );
    CREATE INDEX shelves_by_age ON shelves (organisation_id, created_at, id);
  `);
  await tenantTable(knex, 'shelves', {
    open: [{ column: 'secret_hash', setting: 'app.secret_hash', type: 'bytea' }],
  });
}
