import { isOver, type Run } from './run.ts';

const milliseconds = (from: Date | null, to: Date | null): number | null =>
  from && to ? to.getTime() - from.getTime() : null;

/** How a run was carried out: by which engine, in how many attempts, how long everything took and how much it made. */
export function workflowMetadata(run: Run): Readonly<Record<string, unknown>> {
  const { engine, createdAt, startedAt, finishedAt, steps } = run;
  return {
    engine,
    completed: isOver(run),
    queued_ms: milliseconds(createdAt, startedAt),
    duration_ms: milliseconds(startedAt, finishedAt),
    attempts: steps.reduce((sum, { attempt }) => sum + attempt, 0),
    rows: steps.reduce((sum, { outputs }) => sum + outputs.reduce((rows, output) => rows + output.rows, 0), 0),
    bytes: steps.reduce((sum, { outputs }) => sum + outputs.reduce((bytes, output) => bytes + output.bytes, 0), 0),
    steps: steps.map((step) => ({
      name: step.name,
      attempts: step.attempt,
      kept: step.kept,
      duration_ms: milliseconds(step.startedAt, step.finishedAt),
      seconds: step.seconds,
      outputs: step.outputs.map(({ name, datasetVersionId, rows, bytes }) => ({
        name,
        dataset_version_id: datasetVersionId,
        rows,
        bytes,
      })),
    })),
  };
}
