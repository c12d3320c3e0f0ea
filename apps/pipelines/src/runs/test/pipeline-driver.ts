import { member } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import type { TestPipelines } from '../../../test/test-pipelines.ts';

type Clients = Pick<TestPipelines, 'pipelines' | 'runs' | 'datasets'>;

export const OVER = ['Succeeded', 'Failed', 'Error', 'Cancelled'];

export const sql = (name: string, query: string, makes: string, reads: readonly string[] = []) => ({
  name,
  config: {
    query,
    jobType: reads.length === 0 ? 'INGEST' : 'TRANSFORM',
    inputDatasets: reads,
    outputDatasets: [makes],
  },
});
export const child = (pipelineId: string, config: object = {}) => ({
  name: 'child',
  config: { queryType: 'PIPELINE', query: pipelineId, jobType: 'INGEST', ...config },
});

/** What an owner does with pipelines. */
export function pipelineDriver({ pipelines, runs, datasets }: Clients, owner: ReturnType<typeof member>) {
  const create = async (steps: readonly object[], more: object = {}) =>
    (await pipelines.createPipeline({ name: 'p', steps: steps as never, ...more }, owner)).id;
  const publish = (pipelineId: string, steps: readonly object[]) =>
    pipelines.publishPipelineVersion({ pipelineId, steps: steps as never }, owner);
  const start = async (pipelineId: string) => (await runs.startRun({ pipelineId }, owner)).id;
  const get = (pipelineId: string, runId: string) => runs.getRun({ pipelineId, runId }, owner);
  const stepsOf = async (pipelineId: string, runId: string) =>
    (await runs.listRunSteps({ pipelineId, runId }, owner)).steps;
  async function ended(pipelineId: string, runId: string) {
    await waitFor(async () => OVER.includes((await get(pipelineId, runId)).status ?? ''), { what: 'the end of a run' });
    return { runId, run: await get(pipelineId, runId), steps: await stepsOf(pipelineId, runId) };
  }
  return {
    ...{ create, publish, start, get, ended, stepsOf },
    run: async (pipelineId: string) => ended(pipelineId, await start(pipelineId)),
    runsOf: async (pipelineId: string) => (await pipelines.listPipelineRuns({ pipelineId, limit: 100 }, owner)).runs,
    rows: async (query: string) => (await datasets.queryDatasets({ query }, owner)).rows,
  };
}
