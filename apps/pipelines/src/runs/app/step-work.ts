import type { DatasetStep, DatasetStepReport } from '../../datasets/domain/dataset-steps.ts';
import type { Dataset } from '../../datasets/domain/dataset.ts';
import type { PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import { isMet, skipReason, type ConditionFact } from '../../step-engine/domain/condition.ts';
import { MAX_FAILED_ROWS } from '../../step-engine/domain/limits.ts';
import { namedRows } from '../../step-engine/domain/step-job.ts';
import { sqlVariables } from '../../steps/domain/parameters.ts';
import { makersOf } from '../../steps/domain/step-graph.ts';
import { sameName, type StepConfig } from '../../steps/domain/step.ts';
import type { ReportedEnd } from '../domain/run-engine.ts';
import type { Run } from '../domain/run.ts';

const MEBIBYTE = 2 ** 20;

/** Of a file that a step writes. */
export const MAX_OUTPUT_BYTES = 4 * 2 ** 30;

/** What a step is to do, whichever engine has it done. */
export const stepWork = (
  config: StepConfig,
  { parameters }: Pick<PipelineVersion, 'parameters'>,
  run: Pick<Run, 'parameters'>,
): Pick<DatasetStep, 'kind' | 'query' | 'variables' | 'limits' | 'output'> => ({
  kind: config.jobType,
  query: config.query,
  variables: sqlVariables(parameters, run.parameters),
  limits: {
    memoryBytes: config.memoryLimitMb * MEBIBYTE,
    seconds: config.timeLimitSeconds,
    threads: 2,
    outputBytes: MAX_OUTPUT_BYTES,
    ...(config.rowLimit !== null && { outputRows: config.rowLimit }),
    rows: MAX_FAILED_ROWS,
  },
  output: config.outputDatasets.map((name) => ({ name }))[0] ?? null,
});

/** A table of a step: its file, if it is there by now, and which step of the run makes it, if one does. */
export interface StepTable {
  readonly name: string;
  readonly maker: number | undefined;
  readonly file: TableFile | undefined;
  /** What it is without the step that makes it. */
  readonly before: TableFile | undefined;
}

export interface TableFile {
  readonly objectKey: string;
  readonly versionId: string;
  readonly rows: number;
}

/** Where what a step calls so is: from outside as it is now, of the run as its steps have made it, and as it was where such a step was skipped. */
export function tableOf(
  reference: string,
  run: Run,
  { steps }: PipelineVersion,
  found: ReadonlyMap<string, Dataset>,
): StepTable {
  const maker = makersOf(steps).get(sameName(reference));
  const dataset = found.get(reference);
  const index =
    maker === undefined
      ? -1
      : (steps[maker]?.config.outputDatasets.findIndex((name) => sameName(name) === sameName(reference)) ?? -1);
  const made = maker === undefined ? undefined : run.steps[maker]?.outputs[index];
  const { currentVersion } = dataset ?? {};
  const before = currentVersion
    ? { objectKey: currentVersion.objectKey, versionId: currentVersion.id, rows: currentVersion.rows }
    : undefined;
  const isLeft = maker === undefined || run.steps[maker]?.status === 'Skipped';
  const file = made
    ? { objectKey: made.objectKey, versionId: made.datasetVersionId, rows: made.rows }
    : isLeft
      ? before
      : undefined;
  return { name: dataset?.name ?? reference, maker, file, before };
}

/** What the condition of a step looks at, as it is now. */
export const conditionFacts = (
  { when }: Pick<StepConfig, 'when'>,
  run: Run,
  version: PipelineVersion,
  found: ReadonlyMap<string, Dataset>,
): readonly ConditionFact[] =>
  when.flatMap(({ all }) =>
    all.map(({ subject, name }): ConditionFact => {
      switch (subject) {
        case 'PARAMETER':
          return { subject, name, is: run.parameters[name] ?? null };
        case 'ROW_COUNT': {
          const { file, before } = tableOf(name, run, version, found);
          return { subject, name, is: (file ?? before)?.rows ?? 0 };
        }
        case 'STEP_STATUS':
          return {
            subject,
            name,
            is: run.steps.find((step) => sameName(step.name) === sameName(name))?.status ?? null,
          };
      }
    }),
  );

/** How a step ends that is not to be carried out; undefined: it is. */
export function skippedEnd(
  config: Pick<StepConfig, 'when'>,
  run: Run,
  version: PipelineVersion,
  found: ReadonlyMap<string, Dataset>,
): Extract<ReportedEnd, { outcome: 'SKIPPED' }> | undefined {
  const facts = conditionFacts(config, run, version, found);
  return isMet(config.when, facts) ? undefined : { outcome: 'SKIPPED', message: skipReason(facts) };
}

/** What a step read. */
export interface StepReads {
  readonly inputVersionIds: readonly string[];
  /** Of one that adds to its output: which version of that. */
  readonly base?: { readonly baseVersionId: string | null };
}

/** How a step that makes a version of this dataset ended, by the report of its program. */
export function endOfStep(
  report: Pick<DatasetStepReport, 'outcome' | 'code' | 'message' | 'output' | 'columns' | 'rows' | 'seconds'>,
  dataset: string | null,
  { inputVersionIds, base }: StepReads,
): ReportedEnd {
  const { outcome, code, message, output, seconds } = report;
  if (outcome === 'ERROR') return { outcome, message };
  if (outcome === 'FAILED') return { outcome, code, message, failedRows: namedRows(report), inputVersionIds, seconds };
  const made = dataset !== null && output ? [{ ...output, dataset, ...base }] : [];
  return { outcome, made, inputVersionIds, seconds };
}
