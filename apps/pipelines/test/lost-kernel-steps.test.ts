import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLibrary, type Library } from '@platform/events/testing';
import { member, newOrganisation, startService, type ServiceProcess } from '@platform/service/testing';
import { waitFor } from '@platform/testing';
import { kernelJobs } from './kernel-jobs.ts';
import { keys, startTestPipelines, type TestPipelines } from './test-pipelines.ts';

const nobodyListens = '127.0.0.1:9';

describe('steps whose kernel or worker is lost', () => {
  let events: Library;
  let kernels: Awaited<ReturnType<typeof kernelJobs>>;
  let service: TestPipelines;
  let worker: ServiceProcess | undefined;
  const organisationId = newOrganisation();
  const owner = member(organisationId);
  const environment = { PIPELINES_MICROS_PER_STEP_SECOND: '0', PIPELINES_STEP_PROCESSES: '1' };

  beforeAll(async () => {
    events = await openLibrary();
    kernels = await kernelJobs(keys);
    service = await startTestPipelines({
      natsUrl: events.nats.url,
      environment: { ...environment, NOTEBOOKS_ADDRESS: kernels.address },
    });
  });
  afterAll(async () => {
    await worker?.kill();
    await service.stop();
    await kernels.close();
    await events.close();
  });

  async function begun({ pipelines, runs }: TestPipelines, name: string) {
    const config = { queryType: 'PYTHON', query: 'waits', jobType: 'INGEST', outputDatasets: [name] } as const;
    const { id: pipelineId } = await pipelines.createPipeline({ name, steps: [{ name, config }] }, owner);
    const { id: runId } = await runs.startRun({ pipelineId }, owner);
    const run = () => runs.getRun({ pipelineId, runId }, owner);
    return {
      run,
      isOver: async () => ['Succeeded', 'Failed', 'Error'].includes((await run()).status ?? ''),
      steps: async () => (await runs.listRunSteps({ pipelineId, runId }, owner)).steps,
    };
  }

  it('begin again elsewhere when their worker is killed, and make their data once', async () => {
    worker = await startService('pipelines', service.env);
    // Each worker has one place, so that each of them waits for one of these.
    const both = await Promise.all([begun(service, 'one'), begun(service, 'other')]);
    await waitFor(() => kernels.jobs.length === 2, { what: 'two jobs', timeout: 60_000 });
    await worker.kill();
    worker = undefined;
    await waitFor(() => kernels.jobs.some(({ end }) => end === 'left'), { what: 'the end of its call' });
    kernels.release();
    await waitFor(async () => (await both[0].isOver()) && (await both[1].isOver()), {
      what: 'the end of both runs',
      timeout: 120_000,
    });
    const steps = (await Promise.all(both.map((one) => one.steps()))).flat();
    expect(steps.map(({ status }) => status)).toEqual(['Succeeded', 'Succeeded']);
    expect(steps.map(({ attempts }) => attempts).sort()).toEqual([1, 2]);
    expect(kernels.jobs.map(({ end }) => end).sort()).toEqual(['finished', 'finished', 'left']);
    const versions = await service.pool.tenant(organisationId, (trx) =>
      trx('dataset_versions').where({ organisation_id: organisationId }).select<object[]>('id'),
    );
    expect(versions).toHaveLength(2);
  }, 240_000);

  it('are tried three times while notebooks is away, and then say so', async () => {
    const others = await openLibrary();
    const alone = await startTestPipelines({
      natsUrl: others.nats.url,
      environment: { ...environment, NOTEBOOKS_ADDRESS: nobodyListens },
    });
    try {
      const one = await begun(alone, 'one');
      await waitFor(one.isOver, { what: 'the end of the run', timeout: 180_000 });
      expect(await one.steps()).toMatchObject([
        { status: 'Error', attempts: 3, message: 'No kernel can be started now' },
      ]);
      const config = { queryType: 'NOTEBOOK', query: 'Any', jobType: 'INGEST', outputDatasets: ['x'] } as const;
      await expect(
        alone.pipelines.createPipeline({ name: 'p', steps: [{ name: 'x', config }] }, owner),
      ).rejects.toMatchObject({ kind: 'unavailable' });
    } finally {
      await alone.stop();
      await others.close();
    }
  }, 300_000);
});
