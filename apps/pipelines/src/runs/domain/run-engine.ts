import type { RunOutput as DatasetOutput } from '../../datasets/domain/datasets.ts';
import type { StepEnd } from './change-run.ts';
import type { Run } from './run.ts';

/** One step of a run. */
export interface StepRef {
  readonly organisationId: string;
  readonly runId: string;
  /** Its index among the steps of the version. */
  readonly stepIndex: number;
}

/** One attempt to carry it out. */
export interface StepAttempt extends StepRef {
  readonly attempt: number;
}

export interface RunOfOrganisation {
  readonly organisationId: string;
  readonly run: Run;
  /** Where it was found to be forgotten: since when it is ready, by which one finding is told from the next. */
  readonly readySince?: Date;
}

/** The name of the engine whose workers take the steps that are due. */
export const EMBEDDED_ENGINE = 'embedded';

/**
 * What carries runs out. It decides nothing about what a run is: it reports through `RunReports`, and learns there
 * whether what it says still counts.
 */
export interface RunEngine {
  /** Shown with each run, and kept: a run is cancelled by the kind of engine that it was given to. */
  readonly name: string;
  /** Has it carried out. Repeating it is safe, and it is repeated where an engine seems to have forgotten a run. */
  submit(runs: readonly RunOfOrganisation[]): Promise<void>;
  /** Whether steps wait in it for others to end: what does not begin then is not forgotten. */
  isBusy(): Promise<boolean>;
  /** Ends what still goes on of it, soon. That it shall end is recorded already. */
  cancel(run: RunOfOrganisation): Promise<void>;
}

/** An attempt that was let begin, and the run as it is now. */
export interface BegunStep {
  readonly at: StepAttempt;
  readonly run: Run;
}

/** What a run has become by a report. */
export interface RunProgress {
  readonly run: Run;
  /** The step that can begin now with which whoever reports goes on. */
  readonly begun: BegunStep | undefined;
}

/** What an engine tells. Everything may be told twice; what comes too late changes nothing. */
export interface RunReports {
  /** Undefined: nothing shall begin. Without a worker the step is lost with none of our processes. */
  stepStarted(at: StepRef, worker: string | null): Promise<BegunStep | undefined>;
  /** What keeps a step from beginning, as the run shows it until it begins. Answers the run as it is now. */
  stepWaiting(at: StepRef, message: string): Promise<Run>;
  /** Its lines, in order; each attempt has its own. */
  stepLogged(at: StepAttempt, lines: readonly LogLine[]): Promise<void>;
  /** With `goOnAs` the next step, if there is one, begins with this worker at the same time. */
  stepFinished(at: StepAttempt, end: ReportedEnd, goOnAs?: string): Promise<RunProgress>;
}

export interface LogLine {
  /** From 0; the same number again is the same line. */
  readonly number: number;
  readonly at: Date;
  readonly text: string;
}

/** As a step ended, with what it made before that is known as versions of datasets. */
export type ReportedEnd =
  | (Omit<Extract<StepEnd, { outcome: 'SUCCEEDED' }>, 'outputs'> & { readonly made: readonly MadeOutput[] })
  | Exclude<StepEnd, { outcome: 'SUCCEEDED' }>;

/** A file that rests in the object store already, for a dataset by its name or id. */
export type MadeOutput = Omit<DatasetOutput, 'runId' | 'step' | 'inputVersionIds'>;
