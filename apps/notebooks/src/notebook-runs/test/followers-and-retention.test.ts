import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NotebookRun } from '@platform-backend/contract-notebooks';
import { newId, type DomainError } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import type { CallOptions } from '@platform-backend/grpc';
import { openDatabase } from '@platform-backend/postgres';
import { member, newOrganisation } from '@platform-backend/service/testing';
import pg from 'pg';
import { startTestNotebooks, type TestNotebooks } from '../../../test/test-notebooks.ts';
import { notebookRunUseCases, type NotebookRunPorts } from '../app/notebook-runs.ts';
import type { NotebookRuns } from '../domain/notebook-runs.ts';
import { notebookRunsStore } from '../store/notebook-runs-store.ts';

/** A run of a new notebook; nothing carries it out. */
async function start({ notebooks, runs }: TestNotebooks, by: CallOptions): Promise<NotebookRun> {
  const content = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 4 };
  const { id: notebookId } = await notebooks.createNotebook({ name: newId(), content }, by);
  return await runs.startNotebookRun({ notebookId }, by);
}

describe('those who follow the run of a notebook', () => {
  let running: TestNotebooks;
  beforeAll(async () => {
    running = await startTestNotebooks();
  });
  afterAll(() => running.stop());

  it('hear at another replica of what is committed, and look no sooner; others are left in peace', async () => {
    const logger = createLogger({ service: 'notebooks', level: 'silent' });
    const database = openDatabase({ url: running.database.appUrl, applicationName: 'another replica', logger });
    const runs = notebookRunsStore(database);
    const [organisationId, other] = [newOrganisation(), newOrganisation()];
    const by = member(organisationId);
    const [own, foreign] = [await start(running, by), await start(running, member(other))];
    const reader = new AbortController();
    const [ofOwn, ofForeign] = [runs.noticeOf(organisationId, own.id), runs.noticeOf(other, foreign.id)];
    // With the connection everybody looks once.
    await Promise.all([ofOwn.next(reader.signal), ofForeign.next(reader.signal)]);
    let isDisturbed = false;
    const disturbing = ofForeign.next(reader.signal).then(() => (isDisturbed = !reader.signal.aborted));

    let looks = 0;
    const isAsleep = Promise.withResolvers<undefined>();
    const counted: Pick<NotebookRuns, 'get' | 'noticeOf'> = {
      async get(...asked) {
        looks += 1;
        return await runs.get(...asked);
      },
      noticeOf(...asked) {
        const notice = runs.noticeOf(...asked);
        const next = async (signal: AbortSignal) => {
          isAsleep.resolve(undefined);
          await notice.next(signal);
        };
        return { ...notice, next };
      },
    };
    const { watchRun } = notebookRunUseCases({ runs: counted } as unknown as NotebookRunPorts);
    const [notebookId, runId] = [own.notebookId, own.id];
    const watching = watchRun({ organisationId, notebookId, runId, known: '', signal: reader.signal });
    expect(await watching.next()).toMatchObject({ value: { revision: 'pending-0-0' } });
    const end = watching.next();
    await isAsleep.promise;
    expect(looks).toBe(1);
    await running.runs.cancelNotebookRun({ notebookId, runId }, by);
    expect(await end).toMatchObject({ value: { isLast: true, state: { status: 'CANCELLED' } } });
    expect(looks).toBe(2);
    await ofOwn.next(reader.signal);
    reader.abort();
    await disturbing;
    expect(isDisturbed).toBe(false);
    await database.close();
  });
});

describe('runs of notebooks that are over', () => {
  const DAY_MS = 86_400_000;
  let passedMs = 0;
  const clock = { now: () => new Date(Date.now() + passedMs) };
  let running: TestNotebooks;
  beforeAll(async () => {
    running = await startTestNotebooks({ clock, environment: { NOTEBOOKS_RUN_RETENTION_DAYS: '2' } });
  });
  afterAll(() => running.stop());

  it('are removed with their contents when their time is over, and no others', async () => {
    const [by, stranger] = [member(newOrganisation()), member(newOrganisation())];
    const [old, theirs] = [await start(running, by), await start(running, stranger)];
    await running.runs.cancelNotebookRun({ notebookId: old.notebookId, runId: old.id }, by);
    await running.runs.cancelNotebookRun({ notebookId: theirs.notebookId, runId: theirs.id }, stranger);
    const waiting = await start(running, by);
    const isThere = async ({ notebookId, id: runId }: NotebookRun, who = by) =>
      await running.runs.getNotebookRun({ notebookId, runId }, who).then(
        () => true,
        (error: unknown) => (error as DomainError).kind !== 'not_found',
      );
    passedMs += DAY_MS;
    const { id } = await running.runs.startNotebookRun({ notebookId: old.notebookId }, by);
    await running.runs.cancelNotebookRun({ notebookId: old.notebookId, runId: id }, by);
    const young = { ...old, id };
    await running.work('the removal of old runs');
    expect(await Promise.all([isThere(old), isThere(young), isThere(waiting), isThere(theirs, stranger)])).toEqual([
      ...[true, true, true, true],
    ]);
    passedMs += DAY_MS + 60_000;
    await running.work('the removal of old runs');
    expect(await Promise.all([isThere(old), isThere(young), isThere(waiting), isThere(theirs, stranger)])).toEqual([
      ...[false, true, true, false],
    ]);
    const admin = new pg.Client({ connectionString: running.database.adminUrl });
    await admin.connect();
    const { rows } = await admin.query<{ run_id: string }>('SELECT run_id FROM notebook_run_contents');
    await admin.end();
    expect(rows.map((row) => row.run_id).toSorted()).toEqual([young.id, waiting.id].toSorted());
  });
});
