import type { DatasetStepReport, StoredInput } from '../../datasets/domain/dataset-steps.ts';
import type { StepLimits, StepReport, StepRun } from '../../step-engine/domain/step-job.ts';
import type { KernelParameters } from './kernel-job.ts';
import type { PostponedStep } from './kernel-step.ts';
import type { LlmSettings } from './llm-settings.ts';

/** Whose spending answers count as. */
export interface LlmPayer {
  readonly memberId: string | null;
  readonly apiKeyId: string | null;
  readonly clientGroupId: string | null;
}

/** A prompt over the rows of at most one version of a dataset. */
export interface LlmStep {
  readonly runId: string;
  /** Its index among the steps of the version. */
  readonly stepIndex: number;
  /** How often it has failed, this time included: answers that were of no use are asked for again. */
  readonly attempt: number;
  readonly prompt: string;
  readonly parameters: KernelParameters;
  readonly settings: LlmSettings;
  readonly payer: LlmPayer;
  readonly input: StoredInput | undefined;
  readonly output: { readonly name: string };
  readonly limits: StepLimits;
}

/** Rejected when the signal is aborted. */
export type RunLlmStep = (
  organisationId: string,
  step: LlmStep,
  run: Pick<StepRun, 'signal' | 'onLog' | 'onRan'>,
) => Promise<DatasetStepReport | PostponedStep>;

/** What a language model is asked. The same id is answered and paid once. */
export interface Generation extends Pick<LlmStep, 'attempt' | 'payer'> {
  readonly id: string;
  readonly runId: string;
  readonly prompt: string;
  readonly settings: LlmSettings;
}

/** What a model has written is data. */
export interface GeneratedText {
  readonly outcome: 'TEXT';
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicros: number;
}

/** Why there is no answer to this, and another one may have one. */
export interface NoText {
  readonly outcome: 'NO_TEXT';
  readonly message: string;
}

/** Nobody answers now: AWAY, or too many ask at once: BUSY. */
export interface NobodyAnswers {
  readonly outcome: 'AWAY' | 'BUSY';
  readonly message: string;
}

export interface SettingsProblem {
  /** Among those that were checked. */
  readonly index: number;
  readonly field: string;
  readonly message: string;
}

/** Those who ask language models for us. */
export interface LanguageModels {
  /** A report: why the step can have no answer at all. Rejected when the signal is aborted. */
  readonly generate: (
    organisationId: string,
    asked: Generation,
    signal: AbortSignal,
  ) => Promise<GeneratedText | NoText | NobodyAnswers | StepReport>;
  /** What is wrong with these. A text: why there is no model at all. UNAVAILABLE: nobody can tell now. */
  readonly check: (
    organisationId: string,
    settings: readonly Pick<LlmSettings, 'model' | 'jsonSchema'>[],
  ) => Promise<readonly SettingsProblem[] | string>;
}
