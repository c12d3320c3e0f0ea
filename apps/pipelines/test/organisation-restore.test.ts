import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migratedDatabase } from '@platform-backend/service/testing';
import type { ThrowawayPostgres } from '@platform-backend/testing';
import pg from 'pg';
import { service } from '../src/service.ts';

const organisationId = 'org_a';
const DATASET = '01a21800-0000-7000-8000-000000000001';
const VERSION = '01a21800-0000-7000-8000-000000000002';
/** A number that JavaScript cannot hold. */
const ROWS = '9007199254740993';

describe('an organisation that is put back', () => {
  let databases: readonly [live: ThrowawayPostgres, backup: ThrowawayPostgres];
  beforeAll(async () => {
    databases = await Promise.all([migratedDatabase(service), migratedDatabase(service)]);
  });
  afterAll(() => Promise.all(databases.map((database) => database.drop())));

  const asAdmin = async <T>(database: ThrowawayPostgres, work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };

  it('has its datasets again by the rights of the service, in every table, what is to be removed being no more than then', async () => {
    const [live, backup] = databases;
    await asAdmin(backup, async (client) => {
      await client.query(
        `INSERT INTO datasets (organisation_id, id, name, description, created_at, updated_at, version_count)
         VALUES ($1, $2, 'Revenue', '', now(), now(), 1)`,
        [organisationId, DATASET],
      );
      await client.query(
        `INSERT INTO dataset_versions (id, organisation_id, dataset_id, number, created_at, columns, rows, bytes, object_key, checksum,
           statistics, dictionary, upload_id, input_version_ids)
         VALUES ($1, $2, $3, 1, now(), '[]', $4, 1, 'key', '', '{}', '{}', gen_random_uuid(), '{}')`,
        [VERSION, organisationId, DATASET, ROWS],
      );
    });
    // Somebody has deleted it, and its file is to go.
    await asAdmin(live, (client) =>
      client.query(`INSERT INTO object_removals (key, organisation_id, remove_at) VALUES ('key', $1, now())`, [
        organisationId,
      ]),
    );
    const restored = await service.declaration.storage.restoreOrganisation({
      from: backup.appUrl,
      to: live.appUrl,
      organisationId,
      ...service.declaration.restoresOrganisations,
    });
    expect(restored).toMatchObject({ datasets: 1, dataset_versions: 1, object_removals: 0, runs: 0, run_logs: 0 });
    await asAdmin(live, async (client) => {
      const { rows } = await client.query('SELECT rows, input_version_ids FROM dataset_versions');
      expect(rows).toEqual([{ rows: ROWS, input_version_ids: [] }]);
      expect((await client.query('SELECT FROM object_removals')).rowCount).toBe(0);
      const { rows: refused } = await client.query(
        `SELECT relname FROM pg_class WHERE relforcerowsecurity AND relname = ANY ($1)
         AND NOT (has_table_privilege($2, oid, 'INSERT') AND has_table_privilege($2, oid, 'DELETE'))`,
        [Object.keys(restored), live.appRole],
      );
      expect(refused).toEqual([]);
    });
  });

  it('does not fire what it has fired since', async () => {
    const [live, backup] = databases;
    const fire = (client: pg.Client) =>
      client.query(
        `INSERT INTO schedule_fires (owner_kind, owner_id, due_at, organisation_id) VALUES ('PIPELINE', $1, '2026-01-02', 'org_f')`,
        [VERSION],
      );
    await asAdmin(live, fire);
    const schedule = `INSERT INTO schedules (owner_kind, owner_id, organisation_id, cron, time_zone, catch_up, next_at, look_at)
      VALUES ('PIPELINE', $1, 'org_f', '0 0 * * *', 'UTC', 'ALL', '2026-01-02', '2026-01-02')`;
    await asAdmin(backup, (client) => client.query(schedule, [VERSION]));
    const restored = await service.declaration.storage.restoreOrganisation({
      ...{ from: backup.appUrl, to: live.appUrl, organisationId: 'org_f' },
      ...service.declaration.restoresOrganisations,
    });
    expect(restored).toMatchObject({ schedules: 1 });
    await expect(asAdmin(live, fire)).rejects.toMatchObject({ code: '23505' });
  });
});
