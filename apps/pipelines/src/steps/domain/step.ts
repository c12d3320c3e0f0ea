import type { Condition } from '../../step-engine/domain/condition.ts';
import type { Cell } from '../../step-engine/domain/step-job.ts';
import type { HttpRequest } from './http-request.ts';
import type { KernelParameters, KernelProgram } from './kernel-job.ts';
import type { LlmSettings } from './llm-settings.ts';
import type { Parameter } from './parameters.ts';
import type { RetryPolicy } from './retry-policy.ts';

export type QueryType = 'SQL' | 'PYTHON' | 'NOTEBOOK' | 'HTTP' | 'LLM' | 'PIPELINE';
export type JobType = 'TRANSFORM' | 'INGEST' | 'EXPORT' | 'CHECK';

export type OutputMode = 'OVERWRITE' | 'APPEND' | 'MERGE';

export type StepStatus = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Error' | 'Skipped' | 'Omitted';

/** `LISTED`: one after the other. `DATASETS`: as what they read and make demands, else side by side. */
export type StepOrder = 'DATASETS' | 'LISTED';

/** What a step does. */
export interface StepConfig {
  readonly queryType: QueryType;
  readonly query: string;
  /** Ids or names of datasets, in any case of letters. */
  readonly inputDatasets: readonly string[];
  readonly outputDatasets: readonly string[];
  readonly jobType: JobType;
  readonly timeLimitSeconds: number;
  readonly memoryLimitMb: number;
  /** Variables of a program or a notebook, what a prompt names, or what steps of another pipeline are given. */
  readonly parameters: KernelParameters;
  /** A step that makes more rows has failed. Null: any number. */
  readonly rowLimit: number | null;
  /** What becomes of the rows that its output has. */
  readonly outputMode: OutputMode;
  /** Columns of MERGE. */
  readonly mergeKeys: readonly string[];
  /** Null: a failure is final. */
  readonly retryPolicy: RetryPolicy | null;
  /** Of an HTTP step; its query is the URL. */
  readonly http: HttpRequest | null;
  /** Of an LLM step; its query is the prompt. Null: all as usual. */
  readonly llm: LlmSettings | null;
  /** Of a PIPELINE step; its query is the id of the pipeline. Null: the version that is current when the step begins. */
  readonly pipelineVersionId: string | null;
  /** Whether it is carried out when it could begin, or skipped. */
  readonly when: Condition;
  /** Of a PIPELINE step. Null: it starts one run. */
  readonly forEach: ForEach | null;
}

/** A run for each value of a parameter. */
export interface ForEach {
  readonly parameter: string;
  /** Each once. Runs begin in their order. */
  readonly values: readonly Cell[];
  /** So many of the runs go on at once. */
  readonly concurrency: number;
}

export interface NewStep {
  readonly name: string;
  readonly config: StepConfig;
}

/** What a version is to be made of. */
export interface StepsInput {
  readonly steps: readonly NewStep[];
  readonly stepOrder: StepOrder;
  /** What its runs are started with; absent: nothing. */
  readonly parameters?: readonly Parameter[];
}

/** A step of a version; like the version it never changes. */
export interface Step extends NewStep {
  readonly id: string;
  readonly createdAt: Date;
}

/** How datasets and steps are told apart: without regard to case. */
export const sameName = (text: string): string => text.normalize('NFC').toLowerCase();

/** Whether a step makes its output from the version before. */
export const addsToOutput = ({ config }: { readonly config: Pick<StepConfig, 'outputMode'> }): boolean =>
  config.outputMode !== 'OVERWRITE';

/** What a PYTHON or NOTEBOOK step runs. */
export const needsKernel = ({ config }: { readonly config: Pick<StepConfig, 'queryType'> }): boolean =>
  config.queryType === 'PYTHON' || config.queryType === 'NOTEBOOK';

/** Whether it waits for others, a kernel, a language model or whoever is called, instead of being carried out here. */
export const waitsElsewhere = ({ config }: { readonly config: Pick<StepConfig, 'queryType'> }): boolean =>
  config.queryType !== 'SQL';

/**
 * What this release can carry out. Steps of a kind that comes with a later one have a higher number, and replicas that do not know it leave
 * them to others.
 */
export const ENGINE_VERSION = 5;

/** Of whoever gives steps the parameters of their version. */
export const PARAMETERS_VERSION = 3;

/** Of whoever decides conditions, and goes on behind a step that was skipped. */
export const CONDITIONS_VERSION = 4;

/** Of whoever starts a run for each of several values. */
const FOR_EACH_VERSION = 5;

const NEEDED_VERSION: Readonly<Record<QueryType, number>> = {
  SQL: 1,
  PYTHON: 1,
  NOTEBOOK: 1,
  HTTP: 1,
  LLM: 2,
  PIPELINE: 2,
};

/** Whether it is carried out by another run. */
export const startsRun = ({ config }: { readonly config: Pick<StepConfig, 'queryType'> }): boolean =>
  config.queryType === 'PIPELINE';

/** Of whoever carries it out, at least. What is unknown here is of a release to come. */
export const engineVersionOf = ({ config }: { readonly config: Pick<StepConfig, 'queryType' | 'forEach'> }): number =>
  config.forEach
    ? FOR_EACH_VERSION
    : ((NEEDED_VERSION as Readonly<Record<string, number>>)[config.queryType] ?? ENGINE_VERSION + 1);

export const programOf = ({ queryType, query }: Pick<StepConfig, 'queryType' | 'query'>): KernelProgram =>
  queryType === 'NOTEBOOK' ? { notebookId: query } : { code: query };
