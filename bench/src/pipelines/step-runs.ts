import type { PipelinesCluster } from './pipelines-cluster.ts';
import { runsFor, timesOf, type Runner } from './run-load.ts';

/** Runs of three steps that do nothing, asked for through the whole API. There is a dataset for them already. */
export async function stepRuns(cluster: PipelinesCluster): Promise<Runner> {
  const pipelineId = await cluster.newPipeline(
    ['first', 'second', 'third'].map((name) => ({
      name,
      config: { job_type: 'CHECK', query: 'SELECT 1 FROM sales WHERE false', input_datasets: ['sales'] },
    })),
  );
  const start = async () => (await cluster.answer<{ id: string }>('POST', `/pipelines/${pipelineId}/runs/`, {})).id;
  return {
    runs: (load) => runsFor(start, cluster.ended, load),
    times: (runs) => timesOf(start, cluster.ended, runs),
    cpu: cluster.cpu,
    // The cluster is others' as well.
    stop: () => Promise.resolve(),
  };
}
