import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, unchanged, type ActorContext } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase, type Database } from '@platform-backend/postgres';
import { migratedDatabase } from '@platform-backend/service/testing';
import { waitFor, type ThrowawayPostgres } from '@platform-backend/testing';
import pg from 'pg';
import { environmentsStore } from '../src/environment/store/environments-store.ts';
import { foldersStore } from '../src/folders/store/folders-store.ts';
import { countMinutes } from '../src/kernels/domain/kernel.ts';
import { kernelOwnersStore } from '../src/kernels/store/kernel-owners-store.ts';
import { kernelsStore } from '../src/kernels/store/kernels-store.ts';
import { remoteKernelsStore } from '../src/kernels/store/remote-kernels-store.ts';
import { sessionsStore } from '../src/kernels/store/sessions-store.ts';
import { cancelNotebookRun } from '../src/notebook-runs/domain/notebook-run.ts';
import { notebookRunsStore } from '../src/notebook-runs/store/notebook-runs-store.ts';
import { notebooksStore } from '../src/notebooks/store/notebooks-store.ts';
import { service } from '../src/service.ts';

const logger = createLogger({ service: 'notebooks', level: 'silent' });
const organisationId = 'org_77';
let postgres: ThrowawayPostgres;
let admin: pg.Client;
beforeAll(async () => {
  postgres = await migratedDatabase(service);
  admin = new pg.Client({ connectionString: postgres.adminUrl });
  await admin.connect();
  // In a session of its own, since filling tables reads them from end to end, and the server counts late.
  const filling = new pg.Client({ connectionString: postgres.adminUrl, application_name: 'filling' });
  await filling.connect();
  await filling.query(manyOrganisations);
  await filling.end();
  await sessionsEnded('filling');
});
afterAll(async () => {
  await admin.end();
  await postgres.drop();
});

/** 2,000 organisations, so that reading a table from end to end would be the wrong plan. */
const manyOrganisations = `
  INSERT INTO notebooks SELECT 'org_' || i, gen_random_uuid(), 'n' || j, 1, 2, 5, '', now(), now()
    FROM generate_series(1, 2000) i, generate_series(1, 5) j;
  INSERT INTO notebook_contents SELECT organisation_id, id, '{}' FROM notebooks;
  INSERT INTO notebook_checkpoints SELECT organisation_id, gen_random_uuid(), id, 1, 2, '{}', now() FROM notebooks;
  INSERT INTO environment_variables SELECT 'org_' || i, 'A', 'a', now() FROM generate_series(1, 2000) i;
  INSERT INTO notebook_files SELECT organisation_id, id, 'a.csv', 'FILE', 1, '', now() FROM notebooks;
  INSERT INTO notebook_file_contents SELECT organisation_id, id, 'a.csv', 'a' FROM notebooks;
  INSERT INTO notebook_file_checkpoints SELECT organisation_id, id, 'a.csv', gen_random_uuid(), 1, now(), 'a' FROM notebooks;
  INSERT INTO kernels SELECT organisation_id, gen_random_uuid(), 'python3', id, NULL, NULL, NULL, gen_random_uuid(), '',
    now() + '1 hour', 'idle', now(), 0, now(), NULL, 1 FROM notebooks;
  INSERT INTO notebook_runs SELECT organisation_id, gen_random_uuid(), id, 1, 'PENDING', '{}', '', 0, NULL, 1, 0, NULL, '', '',
    NULL, NULL, NULL, now(), NULL, NULL, now() + '1 hour' FROM notebooks;
  INSERT INTO notebook_run_contents SELECT organisation_id, id, '{}', NULL FROM notebook_runs;
  INSERT INTO remote_kernels SELECT 'server ' || i, 'kernel ' || i, 'org_' || i, now() FROM generate_series(1, 2000) i;
  INSERT INTO kernel_owners SELECT 'kernels ' || i, 'org_' || i FROM generate_series(1, 2000) i;
  INSERT INTO kernel_sessions SELECT organisation_id, gen_random_uuid(), id::text, '', 'notebook', id, now() FROM kernels;
  ANALYZE;`;

/** How often each table has been read from end to end, by whomever. */
async function fullReads(): Promise<Record<string, string>> {
  const { rows } = await admin.query<{ relname: string; seq_scan: string }>(
    `SELECT relname, seq_scan FROM pg_stat_user_tables WHERE relname NOT LIKE 'knex%' AND relname NOT IN ('outbox', 'inbox')`,
  );
  return Object.fromEntries(rows.map(({ relname, seq_scan }) => [relname, seq_scan]));
}

/** A session that ends makes the server count what it has read. */
const sessionsEnded = (applicationName: string): Promise<boolean> =>
  waitFor(
    async () => {
      const { rows } = await admin.query('SELECT FROM pg_stat_activity WHERE application_name = $1', [applicationName]);
      return rows.length === 0;
    },
    { what: 'the sessions to end and their reads to be counted' },
  );

/** Every query that the stores make. */
async function everyQuery(database: Database): Promise<void> {
  const by: ActorContext = {
    organisationId,
    actor: { type: 'user', id: newId(), name: 'n', userId: null, level: 'OWNER' },
    requestId: 'r',
  };
  const at = new Date();
  const page = { limit: 50, cursor: '', includeTotal: true };
  const notebooks = notebooksStore(database);
  const [one] = (await notebooks.list(organisationId, { ...page, order: 'desc' })).items;
  const notebookId = one?.id ?? '';
  await notebooks.list(organisationId, { ...page, order: 'asc', name: 'n1' });
  await notebooks.named(organisationId, 'n1');
  const names = Array.from({ length: 1_000 }, (_, number) => `Untitled${String(number)}`);
  await notebooks.taken(organisationId, names);
  await notebooks.getWithContent(organisationId, notebookId);
  await notebooks.update(by, notebookId, (known) => unchanged({ ...known, version: 2 }));
  const text = '{"cells":[]}';
  const content = { text, sizeBytes: one?.sizeBytes ?? 0, formatMinor: 5, language: '' };
  await notebooks.save(by, notebookId, content, (known) => unchanged({ ...known, version: 3 }));
  const checkpoint = { id: newId(), notebookId, createdAt: at };
  await notebooks.checkpoints.add(organisationId, checkpoint);
  await notebooks.checkpoints.list(organisationId, notebookId, page);
  await notebooks.checkpoints.getText(organisationId, notebookId, checkpoint.id);
  await notebooks.checkpoints.remove(organisationId, notebookId, checkpoint.id);

  const environments = environmentsStore(database);
  await environments.list(organisationId);
  await environments.values(organisationId);
  const variable = { name: 'A', updatedAt: at };
  await environments.update(by, 'A', 'b', () => ({
    state: new Map([['A', variable]]),
    events: [],
    result: variable,
  }));
  await environments.update(by, 'A', undefined, () => ({ state: new Map(), events: [], result: variable }));

  const folders = foldersStore(database);
  await folders.list(organisationId, notebookId, { ...page, folder: 'a' });
  await folders.list(organisationId, notebookId, { ...page, cursor: 'a' });
  await folders.all(organisationId, notebookId);
  await folders.file(organisationId, notebookId, 'a.csv');
  const entry = { path: 'f', kind: 'FILE', sizeBytes: 1, digest: '', updatedAt: at } as const;
  const steps = [{ entry, bytes: Buffer.from('f') }, { moved: 'f', to: 'g' }, { removed: 'g' }];
  await folders.update(by, notebookId, (folder) => unchanged({ ...folder, steps }));
  const file = { notebookId, path: 'a.csv' };
  const fileCheckpoint = { id: newId(), createdAt: at };
  await folders.checkpoints.keep(organisationId, file, fileCheckpoint, () => undefined);
  await folders.checkpoints.find(organisationId, notebookId, file.path);
  await folders.checkpoints.bytes(organisationId, file, fileCheckpoint.id);
  await folders.checkpoints.remove(organisationId, file, fileCheckpoint.id);

  const kernels = kernelsStore(database);
  const [kernel] = await kernels.list(organisationId, notebookId);
  if (!kernel) throw new Error('no example');
  await kernels.list(organisationId);
  await kernels.get(organisationId, kernel.id);
  await kernels.update(by, kernel.id, (known) => countMinutes(known, 2, () => []));
  await kernels.add(by, at, () => unchanged({ ...kernel, id: newId() }));
  await kernels.revive(by, kernel.id, at, (known) => unchanged(known));
  await kernelOwnersStore(database).claim('shared', organisationId);
  const remote = remoteKernelsStore(database);
  await remote.add('server 77', 'new', organisationId, 18_000);
  await remote.renew('server 77', ['new', 'kernel 77'], 18_000);
  await remote.left('server 77', 10);
  await remote.remove('server 77', 'new');
  await kernels.renew(kernel.nodeId, [{ ...kernel, organisationId }], 18_000);
  await kernels.overdue(10);
  await kernels.forget(at);

  const sessions = sessionsStore(database);
  const [session] = await sessions.list(organisationId);
  if (!session) throw new Error('no example');
  await sessions.get(organisationId, session.id);
  await sessions.atPath(organisationId, session.path);
  await sessions.add(organisationId, { ...session, id: newId(), path: 'new' });
  await sessions.change(by, { ...session, name: 'renamed' });
  await sessions.remove(organisationId, session.id);

  const runs = notebookRunsStore(database);
  const [run] = (await runs.list(organisationId, notebookId, page)).items;
  if (!run) throw new Error('no example');
  await runs.get(organisationId, notebookId, run.id);
  const another = { ...run, id: newId() };
  await runs.add(by, another.id, '{}', () => unchanged(another));
  await runs.contentOf(organisationId, run.id);
  await runs.due(at, 10);
  await runs.removeEnded(new Date(0), 10);
  await runs.update(by, run.id, (known) => cancelNotebookRun(known, at), '{}');
  await runs.resultOf(organisationId, run.id);
  await notebooks.remove(by, notebookId, (known) => ({ state: undefined, events: [], result: known }));
}

describe('the queries of the stores', () => {
  it('all go by an index: none reads a table from end to end, however many organisations there are', async () => {
    const before = await fullReads();
    const database = openDatabase({ url: postgres.appUrl, applicationName: 'query plans', logger });
    try {
      await everyQuery(database);
    } finally {
      await database.close();
    }
    await sessionsEnded('query plans');
    expect(await fullReads()).toEqual(before);
  });
});
