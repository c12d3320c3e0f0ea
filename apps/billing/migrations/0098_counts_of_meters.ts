import type { Knex } from '@platform-backend/postgres';

/** What a meter has counted is found by the key of its hours when it is removed, and not by reading those of all organisations. */
export const up = (knex: Knex): Promise<unknown> =>
  knex.raw(`
    ALTER TABLE meters ADD CONSTRAINT meters_of_organisations UNIQUE (organisation_id, id);
    ALTER TABLE meter_hours
      DROP CONSTRAINT meter_hours_meter_id_fkey,
      ADD CONSTRAINT meter_hours_meter FOREIGN KEY (organisation_id, meter_id) REFERENCES meters (organisation_id, id);
  `);
