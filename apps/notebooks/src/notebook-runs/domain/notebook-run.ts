import { decided, unchanged, type Decision } from '@platform-backend/core';
import type { NotebooksEvent } from '../../events.ts';
import type { JobFailure } from './kernel-job.ts';
import type { Parameters } from './parameters.ts';

export type NotebookRunStatus = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

/** All cells of a notebook, once. */
export interface NotebookRun {
  readonly id: string;
  readonly notebookId: string;
  /** That is what runs, whatever becomes of the notebook. */
  readonly notebookVersion: number;
  readonly status: NotebookRunStatus;
  readonly parameters: Parameters;
  /** Empty for the usual kind of kernel. */
  readonly kernelName: string;
  /** How often it was begun. */
  readonly attempts: number;
  /** What carries it out now. */
  readonly attemptId: string | null;
  /** Of those that have something to execute, how many there are, and how many are done. */
  readonly cells: number;
  readonly cellsDone: number;
  readonly failedCell: number | null;
  /** Empty unless it has failed. */
  readonly code: string;
  readonly message: string;
  /** Whose credits and limits it counts against, within the organisation. */
  readonly userId: string | null;
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  /** When somebody has to look after it; null once it is over. */
  readonly nextAttemptAt: Date | null;
}

export type NewNotebookRun = Pick<
  NotebookRun,
  | 'id'
  | 'notebookId'
  | 'notebookVersion'
  | 'parameters'
  | 'kernelName'
  | 'cells'
  | 'userId'
  | 'clientGroupId'
  | 'apiKeyId'
>;

type RunDecision = Decision<NotebookRun, NotebooksEvent>;

/** What is allowed to a run while it is carried out. */
export interface RunAttempts {
  /** How long what carries one out has it to itself, unless it says again that it lives. */
  readonly leaseMs: number;
  /** How often one is begun; lost once more, it fails. */
  readonly maxAttempts: number;
}

const RETRY_MS = 5_000;

export function startNotebookRun(wanted: NewNotebookRun, at: Date): RunDecision {
  const run: NotebookRun = {
    ...wanted,
    status: 'PENDING',
    attempts: 0,
    attemptId: null,
    cellsDone: 0,
    failedCell: null,
    code: '',
    message: '',
    createdAt: at,
    startedAt: null,
    finishedAt: null,
    nextAttemptAt: at,
  };
  const data = { run_id: run.id, notebook_id: run.notebookId };
  const change = { before: null, after: { notebook_id: run.notebookId, notebook_version: run.notebookVersion } };
  return decided(run, { name: 'notebook_run.created', subject: run.id, at, data, change });
}

/** Somebody carries it out now, from its beginning; too often lost, it fails. Unchanged: there is nothing to do now. */
export function takeNotebookRun(
  run: NotebookRun,
  attemptId: string,
  { leaseMs, maxAttempts }: RunAttempts,
  at: Date,
): RunDecision {
  if (!run.nextAttemptAt || run.nextAttemptAt > at) return unchanged(run);
  if (run.attempts >= maxAttempts) {
    const message = `What carried it out was lost ${maxAttempts === 1 ? 'once' : `${String(maxAttempts)} times`}`;
    return finished({ ...run, code: 'lost', message }, 'FAILED', at);
  }
  const attempts = run.attempts + 1;
  const startedAt = run.startedAt ?? at;
  return decided({
    ...run,
    status: 'RUNNING',
    attempts,
    attemptId,
    cellsDone: 0,
    startedAt,
    nextAttemptAt: later(at, leaseMs),
  });
}

/** It is still carried out, and so far. */
export const renewNotebookRun = (
  run: NotebookRun,
  attemptId: string,
  cellsDone: number,
  { leaseMs }: RunAttempts,
  at: Date,
): RunDecision =>
  isExecutedBy(run, attemptId) ? decided({ ...run, cellsDone, nextAttemptAt: later(at, leaseMs) }) : unchanged(run);

/** No kernel is to be had now: it waits, as if it had not been begun. */
export const postponeNotebookRun = (run: NotebookRun, attemptId: string, at: Date): RunDecision =>
  letGo(run, attemptId, later(at, RETRY_MS));

/** It could not be carried out for no known reason, which may be its own: it is begun again later, as often as it may be. */
export const retryNotebookRun = (run: NotebookRun, attemptId: string, at: Date): RunDecision =>
  letGo(run, attemptId, later(at, RETRY_MS), run.attempts);

/** What carries it out stops in good order: it waits for the next one, as if it had not been begun. */
export const releaseNotebookRun = (run: NotebookRun, attemptId: string, at: Date): RunDecision =>
  letGo(run, attemptId, at);

const letGo = (run: NotebookRun, attemptId: string, nextAttemptAt: Date, attempts = run.attempts - 1): RunDecision =>
  isExecutedBy(run, attemptId)
    ? decided({ ...run, status: 'PENDING', attempts, attemptId: null, cellsDone: 0, nextAttemptAt })
    : unchanged(run);

/** It is done, or has failed for a reason. */
export function finishNotebookRun(
  run: NotebookRun,
  attemptId: string,
  { cellsDone, failure }: { readonly cellsDone: number; readonly failure: RunFailure | undefined },
  at: Date,
): RunDecision {
  if (!isExecutedBy(run, attemptId)) return unchanged(run);
  if (!failure) return finished({ ...run, cellsDone }, 'SUCCEEDED', at);
  const { code, message, cellIndex } = failure;
  return finished({ ...run, cellsDone, code, message, failedCell: cellIndex }, 'FAILED', at);
}

export type RunFailure = Omit<JobFailure, 'code'> & { readonly code: string };

/** Of one that is over it changes nothing. */
export const cancelNotebookRun = (run: NotebookRun, at: Date): RunDecision =>
  run.finishedAt ? unchanged(run) : finished(run, 'CANCELLED', at);

/** How far it is; the same only as long as nothing has changed. */
export const revisionOf = ({ status, attempts, cellsDone }: NotebookRun): string =>
  `${status.toLowerCase()}-${String(attempts)}-${String(cellsDone)}`;

export const isExecutedBy = ({ status, attemptId }: NotebookRun, by: string): boolean =>
  status === 'RUNNING' && attemptId === by;

function finished(before: NotebookRun, status: 'SUCCEEDED' | 'FAILED' | 'CANCELLED', at: Date): RunDecision {
  const run: NotebookRun = { ...before, status, attemptId: null, finishedAt: at, nextAttemptAt: null };
  const data = { run_id: run.id, notebook_id: run.notebookId, status };
  const change = { before: { status: before.status }, after: { status } };
  return decided(run, { name: 'notebook_run.finished', subject: run.id, at, data, change });
}

const later = (at: Date, ms: number): Date => new Date(at.getTime() + ms);
