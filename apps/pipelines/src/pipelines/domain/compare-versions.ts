import { sameName, type Step, type StepConfig } from '../../steps/domain/step.ts';
import type { PipelineVersion } from './pipeline.ts';

export interface StepComparison {
  readonly name: string;
  readonly change: 'SAME' | 'ADDED' | 'REMOVED' | 'CHANGED';
  /** The fields of the configuration that differ, as the API names them, and `position`. */
  readonly changedFields: readonly string[];
  readonly before: StepConfig | null;
  readonly after: StepConfig | null;
}

/** What changed from one version to another. */
export interface VersionComparison {
  readonly steps: readonly StepComparison[];
  readonly stepOrderChanged: boolean;
  readonly parametersChanged: boolean;
}

const FIELDS = {
  query_type: 'queryType',
  query: 'query',
  input_datasets: 'inputDatasets',
  output_datasets: 'outputDatasets',
  job_type: 'jobType',
  time_limit_seconds: 'timeLimitSeconds',
  memory_limit_mb: 'memoryLimitMb',
  parameters: 'parameters',
  row_limit: 'rowLimit',
  output_mode: 'outputMode',
  merge_keys: 'mergeKeys',
  retry_policy: 'retryPolicy',
  http: 'http',
  llm: 'llm',
  pipeline_version_id: 'pipelineVersionId',
  when: 'when',
  for_each: 'forEach',
} as const satisfies Readonly<Record<string, keyof StepConfig>>;

/** What changed on the way from `older` to `newer`: the steps of the newer one, then those that are gone. */
export function compareVersions(older: PipelineVersion, newer: PipelineVersion): readonly StepComparison[] {
  const before = byName(older.steps);
  const after = byName(newer.steps);
  const kept = newer.steps.map((step, position): StepComparison => {
    const earlier = before.get(sameName(step.name));
    const { name, config } = step;
    if (!earlier) return { name, change: 'ADDED', changedFields: [], before: null, after: config };
    const changedFields = changedIn(earlier.config, config);
    if (older.steps.indexOf(earlier) !== position) changedFields.push('position');
    const change = changedFields.length > 0 ? 'CHANGED' : 'SAME';
    return { name, change, changedFields, before: earlier.config, after: config };
  });
  const gone = older.steps
    .filter(({ name }) => !after.has(sameName(name)))
    .map(({ name, config }): StepComparison => ({
      name,
      change: 'REMOVED',
      changedFields: [],
      before: config,
      after: null,
    }));
  return [...kept, ...gone];
}

const byName = (steps: readonly Step[]) => new Map(steps.map((step) => [sameName(step.name), step]));

const changedIn = (before: StepConfig, after: StepConfig): string[] =>
  Object.entries(FIELDS)
    .filter(([, field]) => JSON.stringify(before[field]) !== JSON.stringify(after[field]))
    .map(([name]) => name);
