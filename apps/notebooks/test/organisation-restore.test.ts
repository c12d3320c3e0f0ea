import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { migratedDatabase } from '@platform-backend/service/testing';
import type { ThrowawayPostgres } from '@platform-backend/testing';
import pg from 'pg';
import { service } from '../src/service.ts';

const NOTEBOOK = '01a21800-0000-7000-8000-000000000001';
/** The order of its keys and its numbers are whoever's wrote it. */
const EXACT = '{"b": 1.50, "a": 123456789012345678901234567890, "b": 2}';

let live: ThrowawayPostgres;
let backup: ThrowawayPostgres;
const connections = new Map<ThrowawayPostgres, pg.Client>();
beforeAll(async () => {
  [live, backup] = await Promise.all([migratedDatabase(service), migratedDatabase(service)]);
  for (const database of [live, backup]) {
    const client = new pg.Client({ connectionString: database.adminUrl });
    await client.connect();
    connections.set(database, client);
  }
});
afterAll(async () => {
  for (const [database, client] of connections) {
    await client.end();
    await database.drop();
  }
});

const query = async (database: ThrowawayPostgres, text: string, values: unknown[] = []): Promise<unknown[]> =>
  (await connections.get(database)?.query({ text, values, rowMode: 'array' }))?.rows ?? [];
const add = async (database: ThrowawayPostgres, organisationId: string, name: string, content: string) => {
  await query(database, `INSERT INTO notebooks VALUES ($1, $2, $3, 1, 2, 5, '', '2026-01-01', '2026-01-01')`, [
    ...[organisationId, NOTEBOOK, name],
  ]);
  await query(database, 'INSERT INTO notebook_contents VALUES ($1, $2, $3)', [organisationId, NOTEBOOK, content]);
  await query(database, `INSERT INTO environment_variables VALUES ($1, 'TOKEN', $2, now())`, [organisationId, name]);
};
const contentsOf = (database: ThrowawayPostgres) =>
  query(
    database,
    `SELECT organisation_id, name, content, value FROM notebooks
     JOIN notebook_contents USING (organisation_id) JOIN environment_variables e(organisation_id, variable, value, at) USING (organisation_id)
     ORDER BY organisation_id`,
  );
const restore = (organisationId: string, from = backup.appUrl) =>
  service.declaration.storage.restoreOrganisation({ from, to: live.appUrl, organisationId });

describe('an organisation that is put back', () => {
  beforeEach(async () => {
    for (const database of [live, backup])
      await query(database, 'TRUNCATE notebooks, environment_variables, inbox CASCADE');
    for (const [name, content] of [
      ['org_a', EXACT],
      ['org_b', '{"old":true}'],
    ] as const)
      await add(backup, name, 'as it was', content);
    for (const name of ['org_a', 'org_b']) await add(live, name, 'damaged', '{}');
  });

  it('is as it was, to the letter, and nobody else is touched', async () => {
    expect(await restore('org_a')).toMatchObject({ notebooks: 1, notebook_contents: 1, environment_variables: 1 });
    expect(await contentsOf(live)).toEqual([
      ['org_a', 'as it was', EXACT, 'as it was'],
      ['org_b', 'damaged', '{}', 'damaged'],
    ]);
  });

  it('is read and written a part at a time, however large its files are', async () => {
    const MIB = 1024 * 1024;
    for (let at = 0; at < 8; at += 1) {
      const key = ['org_a', NOTEBOOK, `large-${String(at)}`];
      await query(backup, `INSERT INTO notebook_files VALUES ($1, $2, $3, 'FILE', $4, '', now())`, [...key, 3 * MIB]);
      await query(backup, 'INSERT INTO notebook_file_contents VALUES ($1, $2, $3, $4)', [
        ...key,
        Buffer.alloc(3 * MIB, 7),
      ]);
    }
    const sent = jest.spyOn(pg.Client.prototype, 'query');
    try {
      expect(await restore('org_a')).toMatchObject({ notebook_files: 8, notebook_file_contents: 8 });
      const sizes = sent.mock.calls.map(
        ([, values]) => String((values as unknown as unknown[] | undefined)?.[0]).length,
      );
      expect(Math.max(...sizes)).toBeGreaterThan(6 * MIB);
      expect(Math.max(...sizes)).toBeLessThan(17 * MIB);
    } finally {
      sent.mockRestore();
    }
    expect(
      await query(live, `SELECT count(*)::int, sum(octet_length(content))::int FROM notebook_file_contents`),
    ).toEqual([[8, 24 * MIB]]);
  });

  describe('while it is worked in', () => {
    const OTHER = '01a21800-0000-7000-8000-000000000002';
    const addMeanwhile = `INSERT INTO notebooks VALUES ($1, '${OTHER}', 'meanwhile', 1, 2, 5, '', '2026-01-01', '2026-01-01')`;
    const namesOf = (organisationId: string) =>
      query(live, 'SELECT name FROM notebooks WHERE organisation_id = $1 ORDER BY name', [organisationId]);
    /** Does something before the n-th statement that begins so. */
    const before = (statement: string, nth: number, work: () => Promise<unknown>) => {
      const original = Reflect.get(pg.Client.prototype, 'query') as (...args: unknown[]) => unknown;
      let seen = 0;
      const send = async (client: pg.Client, args: readonly unknown[]): Promise<unknown> => {
        if (String(args[0]).startsWith(statement) && (seen += 1) === nth) await work();
        return original.apply(client, [...args]);
      };
      return jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
        this: pg.Client,
        ...args: unknown[]
      ): unknown {
        return send(this, args);
      });
    };

    it('has nothing else, and others have what they add', async () => {
      const spy = before('INSERT INTO "notebook_contents"', 1, async () => {
        for (const organisationId of ['org_a', 'org_b']) await query(live, addMeanwhile, [organisationId]);
      });
      try {
        await restore('org_a');
      } finally {
        spy.mockRestore();
      }
      expect(await namesOf('org_a')).toEqual([['as it was']]);
      expect(await namesOf('org_b')).toEqual([['damaged'], ['meanwhile']]);
    });

    it('waits for whoever is adding to it, and lets others write between', async () => {
      const writer = new pg.Client({ connectionString: live.adminUrl });
      await writer.connect();
      await writer.query('BEGIN');
      await writer.query(addMeanwhile, ['org_a']);
      const spy = before('LOCK TABLE', 2, async () => {
        await query(live, addMeanwhile, ['org_b']);
        await writer.query('COMMIT');
      });
      try {
        await restore('org_a');
      } finally {
        spy.mockRestore();
        await writer.end();
      }
      expect(await namesOf('org_a')).toEqual([['as it was']]);
      expect(await namesOf('org_b')).toEqual([['damaged'], ['meanwhile']]);
    });
  });

  it('keeps to the organisation also where the backup is read by somebody who sees everything', async () => {
    await restore('org_a', backup.adminUrl);
    expect((await contentsOf(live))[1]).toEqual(['org_b', 'damaged', '{}', 'damaged']);
  });

  it('forgets nothing of what it has handled since', async () => {
    await query(
      live,
      `INSERT INTO inbox (organisation_id, consumer, event_id) VALUES ('org_a', 'c', gen_random_uuid())`,
    );
    const restored = await restore('org_a');
    expect(await query(live, 'SELECT count(*)::int FROM inbox')).toEqual([[1]]);
    expect(Object.keys(restored)).not.toContain('inbox');
  });

  it('stays as it is where the backup has nothing of it, or has other tables', async () => {
    await expect(restore('org_c')).rejects.toThrow('has nothing of org_c');
    await query(backup, 'ALTER TABLE notebooks ADD COLUMN later text');
    await expect(restore('org_a')).rejects.toThrow('the tables notebooks differ');
    await query(backup, 'ALTER TABLE notebooks DROP COLUMN later');
    expect((await contentsOf(live))[0]).toEqual(['org_a', 'damaged', '{}', 'damaged']);
  });
});
