import type { PipelinesFleet } from './pipelines-fleet.ts';
import { runsFor, timesOf, type Runner } from './run-load.ts';

/** Runs of three steps that do nothing, each in a process of its own, asked for through the whole API. */
export async function stepRuns(fleet: PipelinesFleet): Promise<Runner> {
  const pipelineId = await fleet.newPipeline(
    ['first', 'second', 'third'].map((name) => ({
      name,
      config: { job_type: 'CHECK', query: 'SELECT 1 FROM sales WHERE false', input_datasets: ['sales'] },
    })),
  );
  const start = async () => (await fleet.answer<{ id: string }>('POST', `/pipelines/${pipelineId}/runs/`, {})).id;
  return {
    runs: (load) => runsFor(start, fleet.ended, load),
    times: (runs) => timesOf(start, fleet.ended, runs),
    cpu: fleet.cpu,
    // The fleet is others' as well.
    stop: () => Promise.resolve(),
  };
}
