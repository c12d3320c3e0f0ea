import type { Condition, ConditionFact } from './condition.ts';
import type { StepJob, StepReport, WrittenOutput } from './step-job.ts';

/** An address by which bytes may be put into the object store, once. */
export interface SignedUpload {
  readonly url: string;
  /** The request has to bear them. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A table of the query: the file of a version, or what an earlier step of the run has made by the time it is read. */
export type PodInput =
  | { readonly name: string; readonly url: string; readonly versionId: string | null }
  | {
      readonly name: string;
      readonly madeBy: {
        readonly reportUrl: string;
        readonly places: readonly { readonly versionId: string; readonly url: string }[];
        /** What is read where that step is skipped; null: there is nothing. */
        readonly otherwise: { readonly versionId: string; readonly url: string } | null;
      };
    };

/** A fact is told by the report of an earlier step where that is named: of a count of rows, unless that step is skipped. */
export interface PodCondition {
  readonly terms: Condition;
  readonly facts: readonly (ConditionFact & { readonly toldBy?: string })[];
}

/** Names the address of its job to the program of a pod. */
export const POD_JOB_VARIABLE = 'PLATFORM_STEP_JOB';

/**
 * Of its locations (`places` in the stored job) the first that is free is taken, as a pod that was lost may have filled one
 * and told nobody.
 */
export interface PodOutput {
  readonly name: string;
  readonly places: readonly SignedUpload[];
}

/**
 * What a pod is told of its step. It knows the object store by signed addresses alone, and nothing else of the platform.
 */
export interface PodJob extends StepJob<PodInput, PodOutput> {
  /** Absent: it is carried out in any case. */
  readonly when?: PodCondition;
  /** An input that is not there: the step has failed. */
  readonly missing: string | null;
  /** The first report counts. */
  readonly report: SignedUpload;
  /** Of a step that may fail more than once. */
  readonly retry?: PodRetry;
}

/** A failure is reported at the first of these addresses that is free, and its pod tried again; where all are taken it is the step's. */
export interface PodRetry {
  readonly failures: readonly SignedUpload[];
  /** Codes of failures that are the step's at once. */
  readonly nonRetryableErrorTypes: readonly string[];
}

/** With this a pod ends whose step has failed and is tried again. */
export const RETRIED_EXIT_CODE = 4;

/** What a pod leaves of its step. */
export interface PodReport {
  readonly report: Omit<StepReport, 'output' | 'outcome'> & { readonly outcome: StepReport['outcome'] | 'SKIPPED' };
  /** `place` is the index of the location that was taken. */
  readonly written: (WrittenOutput & { readonly place: number; readonly checksum: string }) | null;
  readonly inputVersionIds: readonly string[];
}
