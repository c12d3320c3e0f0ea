import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, systemClock, serviceActorContext } from '@platform-backend/core';
import { openObjects } from '@platform-backend/objects';
import { newOrganisation } from '@platform-backend/service/testing';
import { repetitions } from '@platform-backend/testing';
import { datasetClient } from '../../../test/dataset-client.ts';
import { startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';
import { runObjects, versionKey } from '../../datasets/domain/object-keys.ts';
import { datasetFiles } from '../../datasets/store/dataset-files.ts';
import { objectRemovalsStore } from '../../datasets/store/object-removals-store.ts';
import { createPipeline, type PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import { pipelinesStore } from '../../pipelines/store/pipelines-store.ts';
import { settings } from '../../pipelines/test/examples.ts';
import type { PodJob, SignedUpload } from '../../step-engine/domain/pod-job.ts';
import { step } from '../../steps/test/examples.ts';
import { podJobs } from '../argo/pod-jobs.ts';
import { beginStep, cancelRun, enforceCancelling } from '../domain/change-run.ts';
import { newRun } from '../domain/new-run.ts';
import { outputVersionId } from '../domain/pod-outputs.ts';
import { isOver, type Run } from '../domain/run.ts';
import { runsStore } from '../store/runs-store.ts';

const RUNS = repetitions({ usual: 20, long: 1_000 });
const AT_ONCE = 50;

describe('cancelled runs', () => {
  let service: TestPipelines;
  const organisationId = newOrganisation();
  const by = serviceActorContext('pipelines', organisationId, newId());
  beforeAll(async () => {
    service = await startTestPipelines({ idle: true });
  });
  afterAll(() => service.stop());

  function openRuns() {
    const { pool: database } = service;
    const recordOutputs = () => Promise.resolve([]);
    const countScheduledRuns = () => Promise.resolve();
    const onChanged = () => undefined;
    return runsStore({
      ...{ database, clock: systemClock, recordOutputs, countScheduledRuns, onChanged, debitsOf: () => [] },
      maxOfOrganisation: RUNS,
    });
  }

  async function published(): Promise<PipelineVersion> {
    const pipelines = pipelinesStore(service.pool, () => Promise.resolve());
    const steps = [step('a', [], ['x']), step('b', [], ['y'])];
    const wanted = { id: newId(), stepIds: [newId(), newId()], stepOrder: 'DATASETS', steps } as const;
    const created = createPipeline(newId(), { ...settings, maxConcurrentRuns: RUNS }, wanted, new Date());
    const { published: version } = await pipelines.add(by, created);
    if (!version) throw new Error('nothing was published');
    return version;
  }

  const added = (id: string, version: PipelineVersion) =>
    newRun(
      by,
      version,
      {
        ...{ id, name: id, trigger: 'API', engine: 'test', timeLimitSeconds: 3600, reservedMicros: 0n },
        ...{ eventChain: [], tags: [], notifies: false, clientGroupId: null, parent: null, parameters: {} },
        backfillId: null,
      },
      new Date(),
    );

  it('take no bytes from their pods any more, whose addresses are still good, and lose none that are there', async () => {
    const [runs, version, runId] = [openRuns(), await published(), newId()];
    const run = await runs.add(by, added(runId, version));
    const paths = { uploads: '/dataset-uploads/', downloads: '/dataset-downloads/' };
    const objects = await openObjects(service.frame.settings, systemClock, 'pipelines', paths);
    const files = await datasetFiles(objects, service.directory);
    const [removals, of] = [objectRemovalsStore(service.pool), { organisationId, run }];
    const datasets = { findMany: () => Promise.resolve(new Map()) };
    await podJobs({ files, removals, datasets, clock: systemClock }).write(of, version);
    const job = JSON.parse((await files.readText(`${runObjects(organisationId, runId)}0.job`)) ?? '') as PodJob;
    const { put } = datasetClient(service);
    const [first, second] = job.output?.places ?? [];
    const putTo = ({ url = '', headers = {} }: Partial<SignedUpload> = {}, bytes = 'bytes') =>
      put(url, headers['Content-Type'] ?? '', bytes);

    await putTo(first);
    await expect(putTo(first, 'others')).rejects.toMatchObject({ code: 'already_uploaded' });
    await runs.change(by, runId, (present) => cancelRun(present, new Date()));
    for (const address of [first, second, job.report])
      await expect(putTo(address)).rejects.toMatchObject({ code: 'url_expired' });
    expect(await files.sizeOf(versionKey(organisationId, outputVersionId(runId, 0, 0)))).toBe('bytes'.length);
    expect(await files.sizeOf(versionKey(organisationId, outputVersionId(runId, 0, 1)))).toBeUndefined();
    objects.store.close();
  });

  it('never turn out well, whatever is reported of them before, meanwhile and later', async () => {
    const { pool: database } = service;
    const clock = systemClock;
    const runs = openRuns();
    const version = await published();

    const ended = { outcome: 'SUCCEEDED', made: [], inputVersionIds: [], seconds: 0 } as const;
    const stay = (run: Run) => ({ state: run, events: [], result: run });
    const finish = (runId: string, stepIndex: number) =>
      runs.finishStep(
        by,
        { at: { organisationId, runId, stepIndex, attempt: 1 }, end: ended, when: clock.now() },
        stay,
      );
    const cancel = (runId: string) => runs.change(by, runId, (run) => cancelRun(run, clock.now()));

    async function live(count: number): Promise<string> {
      const id = newId();
      await runs.add(by, added(id, version));
      const begin = (stepIndex: number) =>
        runs.change(by, id, (run) => beginStep(run, stepIndex, { worker: newId(), at: clock.now() }));
      // Each in another order, and together.
      await Promise.all([begin(0), begin(1), ...(count % 3 === 0 ? [cancel(id)] : [])]);
      await Promise.all([
        finish(id, 0),
        ...(count % 3 === 1 ? [cancel(id)] : []),
        ...(count % 5 === 0 ? [runs.change(by, id, (run) => enforceCancelling(run, clock.now()))] : []),
      ]);
      await cancel(id);
      await Promise.all([finish(id, 1), finish(id, 0), cancel(id)]);
      return id;
    }
    const ids: string[] = [];
    for (let count = 0; count < RUNS; count += AT_ONCE) {
      ids.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => live(count + index)))));
    }
    const found = await Promise.all(ids.map((id) => runs.find(organisationId, id)));
    expect(new Set(found.map((run) => run?.status))).toEqual(new Set(['Cancelled']));

    // Nor by a statement past all of this.
    const turn = (trx: Parameters<Parameters<typeof database.tenant>[1]>[0]) =>
      trx('runs').where({ organisation_id: organisationId }).update({ status: 'Succeeded' });
    await expect(database.tenant(organisationId, turn)).rejects.toThrow('a run that is over stays as it ended');
    expect(found.every((run) => run && isOver(run))).toBe(true);
  }, 300_000);
});
