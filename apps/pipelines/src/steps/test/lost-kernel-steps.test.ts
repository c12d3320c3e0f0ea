import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openLibrary, type Library } from '@platform-backend/events/testing';
import { member, newOrganisation, startService, type ServiceProcess } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { kernelJobs } from '../../../test/kernel-jobs.ts';
import { keys, startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';

describe('steps whose kernel or worker is lost', () => {
  let events: Library;
  let kernels: Awaited<ReturnType<typeof kernelJobs>>;
  let service: TestPipelines;
  let worker: ServiceProcess | undefined;
  const organisationId = newOrganisation();
  const owner = member(organisationId);
  const environment = { PIPELINES_STEP_PROCESSES: '1', PIPELINES_KERNEL_STEPS: '1' };

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

  async function published({ pipelines }: TestPipelines, name: string): Promise<string> {
    const config = { queryType: 'PYTHON', query: 'waits', jobType: 'INGEST', outputDatasets: [name] } as const;
    return (await pipelines.createPipeline({ name, steps: [{ name, config }] }, owner)).id;
  }

  async function begun({ runs }: TestPipelines, pipelineId: string) {
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
    // Each worker has one slot, so that each of them waits for one of these.
    const both = await Promise.all(
      ['one', 'other'].map(async (name) => begun(service, await published(service, name))),
    );
    await waitFor(() => kernels.jobs.length === 2, { what: 'two jobs' });
    await worker.kill();
    worker = undefined;
    await waitFor(() => kernels.jobs.some(({ end }) => end === 'left'), { what: 'the end of its call' });
    kernels.release();
    await waitFor(async () => (await Promise.all(both.map((one) => one.isOver()))).every(Boolean), {
      what: 'the end of both runs',
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

  it('are tried three times while notebooks is away, and then say so; none is published then', async () => {
    const pipelineId = await published(service, 'one');
    await kernels.close();
    // At another address, where nobody looks for them.
    kernels = await kernelJobs(keys);
    const one = await begun(service, pipelineId);
    await waitFor(one.isOver, { what: 'the end of the run' });
    expect(await one.steps()).toMatchObject([
      { status: 'Error', attempts: 3, message: 'No kernel can be started now' },
    ]);
    for (const queryType of ['PYTHON', 'NOTEBOOK'] as const) {
      const config = { queryType, query: 'any', jobType: 'INGEST', outputDatasets: ['x'] } as const;
      await expect(
        service.pipelines.createPipeline({ name: 'p', steps: [{ name: 'x', config }] }, owner),
      ).rejects.toMatchObject({ kind: 'unavailable' });
    }
  }, 300_000);
});
