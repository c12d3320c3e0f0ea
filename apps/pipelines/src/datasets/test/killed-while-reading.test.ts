import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pipelinesContract } from '@platform-backend/contract-pipelines';
import { newId, type DomainError } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openLibrary, stored, type Library } from '@platform-backend/events/testing';
import { openDatabase, type Database } from '@platform-backend/postgres';
import {
  member,
  migratedDatabase,
  newOrganisation,
  startCrashTestService,
  testEnvironment,
} from '@platform-backend/service/testing';
import { repetitions, runDirectory, type ThrowawayPostgres, waitFor } from '@platform-backend/testing';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { datasetClient } from '../../../test/dataset-client.ts';
import { clientsOf, keys, objectsIn } from '../../../test/test-pipelines.ts';
import { service } from '../../service.ts';

const DATASETS = repetitions({ usual: 8, long: 24 });
/** How many clients are at it at once. */
const CLIENTS = 6;
const MAX_ANSWERS = (2 * DATASETS) / 3;
const MAX_KILLS = repetitions({ usual: 1, long: Infinity });
/** How often it is killed once more while it reads what has come. */
const KILLS_AFTERWARDS = repetitions({ usual: 1, long: 3 });

const IN_TIME = ['READY', 'FAILED'];

describe('datasets of a service that is killed at random', () => {
  let events: Library;
  let postgres: ThrowawayPostgres;
  let database: Database;
  let directory: string;
  let crashing: Awaited<ReturnType<typeof startCrashTestService>>;
  beforeAll(async () => {
    [events, postgres] = [await openLibrary(), await migratedDatabase(service)];
    database = openDatabase({
      url: postgres.appUrl,
      applicationName: 'a test',
      logger: createLogger({ service: 'test', level: 'silent' }),
    });
    directory = mkdtempSync(join(runDirectory(), 'objects-'));
    const env = {
      ...testEnvironment(service, postgres, keys),
      ...objectsIn(directory),
      NATS_URL: events.nats.url,
      PIPELINES_READ_LEASE_SECONDS: '3',
      SECRETS_KEY: 'one more secret of the tests',
      OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
    };
    crashing = await startCrashTestService({
      ...{ name: 'pipelines', contract: pipelinesContract, env, keys },
      maxAnswers: MAX_ANSWERS,
      maxKills: MAX_KILLS,
    });
  });
  afterAll(async () => {
    await crashing.stop();
    await database.close();
    await postgres.drop();
    await events.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('are never lost once they were acknowledged, nor left unread, and leave no bytes that belong to none', async () => {
    const by = member(newOrganisation());
    const organisationId = by.caller.organisationId ?? '';
    const clients = clientsOf(crashing.calling);
    const client = datasetClient(clients);
    const untilAnswered = <T>(call: () => Promise<T>, isDone?: (error: DomainError) => boolean) =>
      crashing.untilAnswered(call, ['unavailable', 'deadline_exceeded', 'internal', 'malformed'], isDone);
    const isGone = ({ kind }: DomainError) => kind === 'not_found';

    const known: { id: string; number: number; deleted: boolean }[] = [];
    const work = async (): Promise<void> => {
      while (known.length < DATASETS) {
        const dataset = { id: newId(), number: known.length, deleted: known.length % 5 === 0 };
        known.push(dataset);
        const { id, number } = dataset;
        const wanted = await untilAnswered(() => client.request(`data ${number}`, by, { id }));
        await untilAnswered(() => client.put(wanted?.signedUrl ?? '', 'text/csv', `number\n${number}\n`));
        if (dataset.deleted) await untilAnswered(() => clients.datasets.deleteDataset({ datasetId: id }, by), isGone);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, work));
    expect(await crashing.spare()).toBeGreaterThanOrEqual(repetitions({ usual: 1, long: 2 }));

    const kept = known.filter(({ deleted }) => !deleted);
    const listed = async () => (await clients.datasets.listDatasets({ limit: 200 }, by)).datasets;
    const unread = async () => (await listed()).filter(({ upload }) => !IN_TIME.includes(upload?.status ?? '')).length;
    // As long as there are fewer of them there is something to wait for.
    let kills = 0;
    for (let left = DATASETS, before = left + 1; left > 0; before = left) {
      await waitFor(async () => (left = await unread()) < before, { what: 'the end of all reading' });
      if (left > 0 && (kills += 1) <= KILLS_AFTERWARDS) await crashing.kill();
    }
    const found = new Map((await listed()).map((dataset) => [dataset.id, dataset]));
    expect([...found.keys()].sort()).toEqual(kept.map(({ id }) => id).sort());
    const read = kept.filter(({ id }) => found.get(id)?.upload?.status === 'READY');
    for (const { id: datasetId, number } of read)
      expect((await clients.datasets.previewDataset({ datasetId }, by)).rows).toEqual([[number]]);
    // Whoever was killed at one three times over has given it up.
    for (const { id } of kept.filter((one) => !read.includes(one)))
      expect(found.get(id)?.upload?.failure).toMatchObject({ code: 'reader_failed' });

    // What belongs to nothing waits for a day, which is over now.
    const removals = () =>
      database.tenant(organisationId, async (trx) => {
        await trx('object_removals').where({ organisation_id: organisationId }).update({ remove_at: new Date() });
        return trx('object_removals').where({ organisation_id: organisationId }).pluck<string[]>('key');
      });
    await waitFor(async () => (await removals()).length === 0, {
      what: 'all removals',
      interval: 500,
    });
    const entries = readdirSync(join(directory, 'objects', 'datasets', organisationId), {
      recursive: true,
      withFileTypes: true,
    });
    const kinds = Map.groupBy(
      entries.filter((entry) => entry.isFile()),
      ({ parentPath }) => (parentPath.includes('versions') ? 'versions' : 'uploads'),
    );
    expect(kinds.get('versions')).toHaveLength(read.length);
    expect(kinds.get('uploads')).toBeUndefined();

    const told = async () => {
      const all = (await stored(events.bus)).map(({ subject, event }) => `${event.subject} ${subject}`);
      return (id: string, name: string) =>
        all.filter((one) => one === `${id} platform.v1.pipelines.dataset.${name}`).length;
    };
    const isTold = async () => {
      const count = await told();
      return read.every(({ id }) => count(id, 'updated') > 0) && known.every(({ id }) => count(id, 'created') > 0);
    };
    await waitFor(isTold, { what: 'all events' });
    const count = await told();
    for (const { id } of known) expect(count(id, 'created')).toBe(1);
    for (const { id } of read) expect(count(id, 'updated')).toBe(1);
    for (const { id } of known.filter(({ deleted }) => deleted)) expect(count(id, 'deleted')).toBe(1);
  }, 900_000);

  it('are read from a connection by whoever comes after one that was killed at it', async () => {
    const by = member(newOrganisation(), 'ADMIN');
    let asked = 0;
    // The first one waits for its answer until it dies.
    const server = createServer((_, response) => void ((asked += 1) > 1 && response.end('number\n1\n')));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { connections, datasets } = clientsOf(crashing.calling);
      const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
      const settings = { http: { baseUrl } };
      const { id: connectionId } = await connections.createConnection({ name: 'API', settings, secret: 'x' }, by);
      const source = { http: { connectionId, path: 'numbers', format: 'CSV' as const } };
      const { id: datasetId } = await datasets.createDataset({ id: newId(), name: 'numbers', source }, by);
      await waitFor(() => Promise.resolve(asked === 1), { what: 'the reading' });
      await crashing.kill();
      const { currentVersion, upload } = await datasetClient(clientsOf(crashing.calling)).settled(datasetId, by);
      expect([upload?.status, currentVersion?.number, currentVersion?.rows, asked]).toEqual(['READY', 1, '1', 2]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }, 120_000);
});
