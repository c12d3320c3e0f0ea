import type { DatasetStep, DatasetStepReport, KeptOutput } from '../../datasets/domain/dataset-steps.ts';
import { MAX_FAILED_ROWS } from '../../step-engine/domain/limits.ts';
import type { StepConfig } from '../../steps/domain/step.ts';
import type { ReportedEnd } from '../domain/run-engine.ts';

const MEBIBYTE = 2 ** 20;

/** Of a file that a step writes. */
export const MAX_OUTPUT_BYTES = 4 * 2 ** 30;

/** What a step is to do, whichever engine has it done. */
export const stepWork = (config: StepConfig): Pick<DatasetStep, 'kind' | 'query' | 'limits' | 'output'> => ({
  kind: config.jobType,
  query: config.query,
  limits: {
    memoryBytes: config.memoryLimitMb * MEBIBYTE,
    seconds: config.timeLimitSeconds,
    threads: 2,
    outputBytes: MAX_OUTPUT_BYTES,
    rows: MAX_FAILED_ROWS,
  },
  output: config.outputDatasets[0] ?? null,
});

export const missingInput = (reference: string, inputVersionIds: readonly string[]): ReportedEnd => ({
  outcome: 'FAILED',
  message: `The dataset ${reference} is not there`,
  failedRows: [],
  inputVersionIds,
  seconds: 0,
});

/** How a step ended by the report of its program. */
export function endOfStep(
  report: Pick<DatasetStepReport, 'outcome' | 'message' | 'columns' | 'rows' | 'seconds'>,
  made: { readonly dataset: string | null; readonly output: Omit<KeptOutput, 'name'> | null },
  inputVersionIds: readonly string[],
): ReportedEnd {
  const { outcome, message, seconds } = report;
  if (outcome === 'ERROR') return { outcome, message };
  if (outcome === 'FAILED') {
    const names = report.columns.map(({ name }) => name);
    const failedRows = report.rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index]])));
    return { outcome, message, failedRows, inputVersionIds, seconds };
  }
  const { dataset, output } = made;
  return { outcome, made: dataset !== null && output ? [{ ...output, dataset }] : [], inputVersionIds, seconds };
}
