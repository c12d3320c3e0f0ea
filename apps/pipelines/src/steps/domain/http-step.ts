import type { DatasetStepReport, StoredInput } from '../../datasets/domain/dataset-steps.ts';
import type { Column, StepLimits, StepReport, StepRun } from '../../step-engine/domain/step-job.ts';
import type { HttpRequest } from './http-request.ts';
import type { ParameterValues } from './parameters.ts';

/** A call over the rows of at most one version of a dataset. */
export interface HttpStep {
  readonly runId: string;
  readonly name: string;
  readonly url: string;
  readonly request: HttpRequest;
  /** What its body names. */
  readonly parameters: ParameterValues;
  /** Whoever knows it does the same of it only once. */
  readonly idempotencyKey: string;
  readonly input: StoredInput | undefined;
  /** Null: of what is answered only the status counts. `columns` are those that the dataset has, which an answer without rows has as well. */
  readonly output: { readonly name: string; readonly columns: readonly Column[] } | null;
  readonly limits: StepLimits;
}

/** Rejected when the signal is aborted. */
export type RunHttpStep = (
  organisationId: string,
  step: HttpStep,
  run: Pick<StepRun, 'signal' | 'onLog' | 'onRan'>,
) => Promise<DatasetStepReport>;

export interface HttpCall extends Pick<HttpStep, 'url' | 'request' | 'idempotencyKey'> {
  readonly organisationId: string;
  readonly body: string | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly bytes: number;
}

/** Calls, and writes what is answered to a file where it is read. A report: what there is to say instead of an answer. */
export type CallHttp = (
  call: HttpCall,
  answered: { readonly file: string; readonly isRead: boolean; readonly signal: AbortSignal },
) => Promise<HttpAnswer | StepReport>;
