import type { ActorContext, ChangeNotice, Decision, Page, PageRequest } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import type { NotifiedRecipient } from '../../notifications/domain/notification.ts';
import type { PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import type { QueueStatus } from './admission.ts';
import type { LogLine, ReportedEnd, RunOfOrganisation, StepAttempt, StepRef } from './run-engine.ts';
import type { Run, RunStatus, RunStep, RunTrigger } from './run.ts';

export interface RunFilter {
  /** Any of these; none: all. */
  readonly statuses: readonly RunStatus[];
  /** Any of these; none: all. */
  readonly triggers: readonly RunTrigger[];
  /** All of these. */
  readonly tags: readonly string[];
  readonly versionId?: string;
  readonly backfillId?: string;
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  readonly order: 'asc' | 'desc';
}

/** A run with the version that it carries out. */
export interface WholeRun {
  readonly run: Run;
  readonly version: PipelineVersion;
}

/** What a transaction has led to, that somebody has to see to. */
export interface RunsChanged {
  readonly organisationId: string;
  /** Runs that were admitted by it: they are to be submitted. */
  readonly admitted: readonly Run[];
  /** Runs that have ended by it; what they cost is written down by it as well. */
  readonly ended: readonly Run[];
}

export type DecideRun<Result> = (run: Run) => Decision<Run, PipelinesEvent, Result>;

export interface StoredLogLine {
  readonly id: string;
  readonly stepIndex: number;
  readonly attempt: number;
  readonly createdAt: Date;
  readonly text: string;
}

/**
 * Where runs are kept. Changes that one process makes at the same time for one organisation are one transaction. A run
 * that is over is refused any change, by the database as well. What a change leads to, whoever opened the store is told.
 */
export interface Runs {
  /** Answers the run as it is then, admitted if there was room. One whose id is known already stays as it is. */
  add(by: ActorContext, run: Decision<Run, PipelinesEvent>): Promise<Run>;
  /** `decide` sees the locked run. NOT_FOUND: none, or another organisation's. */
  change<Result>(by: ActorContext, runId: string, decide: DecideRun<Result>): Promise<Result>;
  /**
   * Records how an attempt ended, and what it made, unless it is too late. `then` is decided on what the run has become,
   * in the same transaction.
   */
  finishStep<Result>(
    by: ActorContext,
    finished: { readonly at: StepAttempt; readonly end: ReportedEnd; readonly when: Date },
    then: DecideRun<Result>,
  ): Promise<Result>;
  /** Ends a step that is due and whose condition does not hold, with a line of its log. Otherwise the run stays as it is. */
  skipStep(by: ActorContext, skipped: SkippedStep): Promise<Run>;
  find(organisationId: string, runId: string): Promise<Run | undefined>;
  /** Those of them that there are, in any order. */
  findMany(organisationId: string, runIds: readonly string[]): Promise<readonly Run[]>;
  /** NOT_FOUND: no such run of this pipeline. */
  get(organisationId: string, pipelineId: string, runId: string): Promise<WholeRun>;
  list(organisationId: string, pipelineId: string, filter: RunFilter, page: PageRequest): Promise<Page<WholeRun>>;
  /** What its schedule has started of a pipeline, and is not over. */
  scheduledNotOver(organisationId: string, pipelineId: string): Promise<readonly string[]>;
  /** Whom its end was told, or is to be. */
  notificationsOf(organisationId: string, runId: string): Promise<readonly NotifiedRecipient[]>;
  /** Tells of changes of a run, and of those that move its organisation's runs that wait. */
  noticeOf(organisationId: string, runId: string): ChangeNotice;
  /** Tells of lines of its log, and of changes of the run. */
  noticeOfLog(organisationId: string, runId: string): ChangeNotice;
  /** Of one that waits to be admitted. */
  queueStatus(organisationId: string, run: Run): Promise<QueueStatus>;

  appendLog(at: StepAttempt, lines: readonly LogLine[]): Promise<void>;
  listLog(
    organisationId: string,
    runId: string,
    stepIndex: number | undefined,
    page: PageRequest,
  ): Promise<Page<StoredLogLine>>;
  logAfter(
    organisationId: string,
    runId: string,
    stepIndex: number | undefined,
    after: string,
    limit: number,
  ): Promise<readonly StoredLogLine[]>;
}

export interface SkippedStep {
  readonly at: StepRef;
  readonly message: string;
  readonly when: Date;
}

/** Steps of an organisation that could be begun, and that nobody has begun. */
export interface ReadySteps {
  readonly organisationId: string;
  readonly steps: number;
  /** Of the one that has waited longest, by the clock of the database. */
  readonly oldestSeconds: number;
}

/** What is looked for across organisations, to keep runs going when a process has died. */
export interface RunSweeps {
  /** Whether there is any run that is not over. */
  hasOpen(): Promise<boolean>;
  /** Runs with steps that nobody has begun, ready since before then; the same ones only after that time again. */
  forgotten(readyBefore: Date, limit: number): Promise<readonly Required<RunOfOrganisation>[]>;
  /** Runs that should have ended by then. */
  overdueCancellations(cancellingBefore: Date, limit: number): Promise<readonly RunRef[]>;
  /** Runs that have taken longer than they may, and whose end is not wanted yet. */
  overdue(at: Date, limit: number): Promise<readonly RunRef[]>;
  /** Runs of which something is carried out by workers whose leases have run out. Only for whoever may judge that. */
  ofLostWorkers(limit: number): Promise<readonly (RunRef & { readonly lostWorkers: readonly string[] })[]>;
  /** Attempts of our processes of which nothing was heard for so long beyond their limits. */
  beyondLimit(seconds: number, limit: number): Promise<readonly StepAttempt[]>;
  /** Runs of an engine that are admitted and not over, the oldest first. */
  goingOn(engine: string, limit: number): Promise<readonly { organisationId: string; run: Run }[]>;
  /** Which organisations have runs that wait to be admitted. */
  organisationsWaiting(limit: number): Promise<readonly string[]>;
  /** Admits what waits, as far as there is room. */
  admit(organisationId: string): Promise<readonly Run[]>;
  /** How many runs of all organisations there are in each state in which they are not over, and since when the oldest of them is there. */
  queue(): Promise<readonly { readonly status: RunStatus; readonly runs: number; readonly oldest: Date }[]>;
  /** Whose steps could have been begun this long ago and were not: so many organisations at most, those that wait longest first. */
  readySteps(waitedSeconds: number, limit: number): Promise<readonly ReadySteps[]>;
  /** Runs that are not over with steps that start others, by their ids after this one, with those that they wait for. */
  withChildren(after: string, limit: number): Promise<readonly RunWithChildren[]>;
  /** Runs that are not over, and that nobody waits for who has started them. */
  orphans(limit: number): Promise<readonly RunRef[]>;
  /** All runs that are not over for which something was set aside, by their organisations. */
  reserved(): Promise<readonly { readonly organisationId: string; readonly runIds: readonly string[] }[]>;
  /** Removes runs that were over by then, a part of them at a time; answers how many. */
  removeRuns(endedBefore: Date): Promise<number>;
  /** Removes log lines from before then, a part of them at a time. */
  removeLogs(before: Date): Promise<number>;
}

export interface RunWithChildren extends RunOfOrganisation {
  /** By their ids. */
  readonly children: ReadonlyMap<string, Run>;
}

export interface RunRef {
  readonly organisationId: string;
  readonly runId: string;
}

/** Steps of all organisations that could be carried out now. */
export interface DueSteps {
  /**
   * Runs with such steps, in the order in which organisations take turns: whoever has the fewest steps carried out goes first,
   * then whoever is named last or not at all in `served`, then whoever waits longest. Of each organisation its oldest.
   */
  inTurn(wanted: StepsInTurn): Promise<readonly RunOfOrganisation[]>;
}

export interface StepsInTurn extends Pick<RunStep, 'needsKernel'> {
  /** Organisations that had their turn here, the latest last. */
  readonly served: readonly string[];
  /** Only of organisations for which no step is carried out anywhere. */
  readonly isForIdle: boolean;
  /** Runs. */
  readonly limit: number;
}

export interface RecordedAttempt extends StepAttempt {
  /** The end of its run is wanted. */
  readonly isUnwanted: boolean;
}

/** The processes that carry steps out. */
export interface RunWorkers {
  /** Prolongs the lease of this worker, by the clock of where it is kept, and answers what is recorded as carried out by it. */
  keep(worker: string, leaseMs: number): Promise<readonly RecordedAttempt[]>;
  leave(worker: string): Promise<void>;
}
