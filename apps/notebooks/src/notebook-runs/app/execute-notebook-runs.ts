import {
  DomainError,
  isUnavailable,
  isNotFound,
  newId,
  serviceActorContext,
  type Clock,
  type Logger,
} from '@platform-backend/core';
import type { KernelUseCases } from '../../kernels/app/kernels.ts';
import type { Payer } from '../../kernels/domain/credits.ts';
import type { KernelLimits } from '../../kernels/domain/kernel-provider.ts';
import { cullMessages, leaseLost } from '../../kernels/domain/kernel.ts';
import type { JobFailure } from '../domain/kernel-job.ts';
import type { NotebookPrograms } from '../domain/notebook-programs.ts';
import {
  finishNotebookRun,
  releaseNotebookRun,
  isExecutedBy,
  renewNotebookRun,
  postponeNotebookRun,
  retryNotebookRun,
  takeNotebookRun,
  type NotebookRun,
  type RunAttempts,
  type RunFailure,
} from '../domain/notebook-run.ts';
import type { DueRun, NotebookRuns } from '../domain/notebook-runs.ts';
import { shownCells } from '../domain/shown-cells.ts';
import { jobKernel } from './job-kernel.ts';
import { runProgram } from './run-program.ts';

export interface NotebookRunExecutorPorts {
  readonly runs: NotebookRuns;
  readonly programs: NotebookPrograms;
  readonly kernels: Pick<KernelUseCases, 'startJobKernel' | 'stopKernel'>;
  readonly limits: KernelLimits;
  readonly allowed: NotebookRunLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface NotebookRunLimits {
  /** How many runs one replica carries out at once. */
  readonly atOnce: number;
  readonly attempts: RunAttempts;
  /** Of one run. */
  readonly seconds: number;
  /** Of what all cells show, as JSON. */
  readonly shownBytes: number;
}

const ROUND = 20;
/** How often it is said how far a run is, if it has come further. */
const TELL_EVERY_MS = 500;
/** How often it is said that a run goes on, which is when it is heard that it was cancelled; at least so often in a lease. */
const RENEW_EVERY_MS = 3_000;
const RENEWALS_OF_A_LEASE = 10;
/** A cell is cut off by the limit of the run, and not by that of a request to the kernel. */
const MARGIN_SECONDS = 60;

/** How far a run is. */
interface Progress {
  cellsDone: number;
}

/** Carries out runs of notebooks, of which replicas take one after the other; that of a replica that was lost begins again. */
export function notebookRunExecutor({
  runs,
  programs,
  kernels,
  limits,
  allowed,
  clock,
  logger,
}: NotebookRunExecutorPorts) {
  const going = new Set<Promise<void>>();
  const closing = new AbortController();

  /** Kernels that could not be stopped yet, and for whom. */
  const unstopped = new Map<string, Payer>();
  const stopKernel = async (by: Payer, kernelId: string): Promise<void> => {
    unstopped.delete(kernelId);
    await kernels.stopKernel(by, kernelId).catch((error: unknown) => {
      if (!isNotFound(error)) unstopped.set(kernelId, by);
    });
  };

  const executeDue = async ({ organisationId, id }: DueRun): Promise<void> => {
    const attemptId = newId();
    const systemActor = serviceActorContext('notebooks', organisationId, newId());
    const taking = (known: NotebookRun) => takeNotebookRun(known, attemptId, allowed.attempts, clock.now());
    const run = await runs.update(systemActor, id, taking);
    if (!isExecutedBy(run, attemptId)) return;
    const { userId, clientGroupId, apiKeyId } = run;
    const by: Payer = { ...systemActor, actor: { ...systemActor.actor, userId }, clientGroupId, apiKeyId };
    const progress = { cellsDone: 0 };
    const renewal = renewing(by, id, attemptId, progress);
    try {
      const end = await execute(by, run, progress, AbortSignal.any([closing.signal, renewal.lost]));
      if (end) {
        const { text, ...known } = end;
        await runs.update(by, id, (run) => finishNotebookRun(run, attemptId, known, clock.now()), text);
      }
    } catch (error) {
      if (closing.signal.aborted) return;
      const failure = refusalIn(error);
      if (failure) {
        const end = { cellsDone: 0, failure };
        await runs.update(by, id, (known) => finishNotebookRun(known, attemptId, end, clock.now()));
        return;
      }
      if (!isShortOfKernels(error))
        logger.warn(
          { event: 'notebook_run.interrupted', err: error, runId: id },
          'a run of a notebook could not go on now',
        );
      const again = isShortOfKernels(error) || isUnavailable(error) ? postponeNotebookRun : retryNotebookRun;
      await runs.update(by, id, (known) => again(known, attemptId, clock.now()));
    } finally {
      renewal.end();
      if (closing.signal.aborted) {
        await runs.update(by, id, (known) => releaseNotebookRun(known, attemptId, clock.now()));
      }
    }
  };

  /** Says from time to time that a run goes on, and how far it is; `lost` tells that it is somebody else's by now, or over. */
  const renewing = (by: Payer, id: string, attemptId: string, progress: Progress) => {
    const lost = new AbortController();
    const everyMs = Math.min(RENEW_EVERY_MS, allowed.attempts.leaseMs / RENEWALS_OF_A_LEASE);
    let told = { cellsDone: 0, at: performance.now() };
    const renew = async (): Promise<void> => {
      if (progress.cellsDone === told.cellsDone && performance.now() - told.at < everyMs) return;
      told = { cellsDone: progress.cellsDone, at: performance.now() };
      try {
        const known = await runs.update(by, id, (run) =>
          renewNotebookRun(run, attemptId, progress.cellsDone, allowed.attempts, clock.now()),
        );
        if (!isExecutedBy(known, attemptId)) lost.abort();
      } catch (error) {
        // Deleted with its notebook. Any other that could not say that it lives is begun by another one, and hears of that later.
        if (isNotFound(error)) lost.abort();
      }
    };
    const timer = setInterval(() => void renew(), Math.min(TELL_EVERY_MS, everyMs));
    return { lost: lost.signal, end: () => clearInterval(timer) };
  };

  /** Undefined: it was cut off, which is no end of the run. */
  const execute = async (
    by: Payer,
    run: NotebookRun,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<
    { readonly cellsDone: number; readonly failure: RunFailure | undefined; readonly text: string } | undefined
  > => {
    const { organisationId } = by;
    const notebook = { text: await runs.contentOf(organisationId, run.id), parameters: run.parameters };
    const cells = await programs.cellsOf(organisationId, notebook);
    const kernel = await kernels.startJobKernel(by, {
      spec: run.kernelName,
      notebookId: run.notebookId,
      isCharged: true,
      limits: { ...limits, executeSeconds: allowed.seconds + MARGIN_SECONDS },
    });
    const isCutOff = () => signal.aborted;
    const gone: { because?: string } = {};
    void kernel.gone.then((reason) => (gone.because = reason));
    const stop = (): void => void stopKernel(by, kernel.id);
    signal.addEventListener('abort', stop);
    try {
      if (isCutOff()) return undefined;
      const shown = shownCells(allowed.shownBytes);
      const failure = await runProgram(jobKernel(kernel.handle, kernel.gone), {
        cells,
        timeLimitSeconds: allowed.seconds,
        hear: (at, word) => shown.hear(at, word),
        done: (at, { executionCount }) => {
          shown.count(at, executionCount);
          progress.cellsDone += 1;
          return Promise.resolve();
        },
      });
      if (isCutOff()) return undefined;
      // It goes on elsewhere, from its beginning.
      if (gone.because === leaseLost) return undefined;
      const text = await programs.textOf(organisationId, notebook, shown.all);
      return { cellsDone: progress.cellsDone, failure: failure && ofRun(failure, gone.because), text };
    } finally {
      signal.removeEventListener('abort', stop);
      await stopKernel(by, kernel.id);
    }
  };

  return {
    /** Takes what is due, as much as there is room for, and does not wait for its end. */
    async begin(): Promise<void> {
      if (closing.signal.aborted) return;
      await Promise.all([...unstopped].map(([kernelId, by]) => stopKernel(by, kernelId)));
      const room = allowed.atOnce - going.size;
      if (room <= 0) return;
      for (const one of await runs.due(clock.now(), Math.min(room, ROUND))) {
        const carried: Promise<void> = executeDue(one)
          .catch((error: unknown) =>
            logger.warn(
              { event: 'notebook_run.failed', err: error, ...one },
              'a run of a notebook was not carried out',
            ),
          )
          .finally(() => going.delete(carried));
        going.add(carried);
      }
    },

    /** Whether there are kernels that could not be stopped yet. */
    owesStops: () => unstopped.size > 0,

    /** Hands back what is not over: another replica begins it again. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.all(going);
    },
  };
}

/** `gone`: why its kernel has ended, if it has. */
const ofRun = (failure: JobFailure, gone: string | undefined): RunFailure =>
  gone === cullMessages.credits ? { ...failure, code: 'payment_required', message: gone } : failure;

/** What trying again would not change. */
function refusalIn(error: unknown): RunFailure | undefined {
  if (!(error instanceof DomainError) || isUnavailable(error) || isShortOfKernels(error)) return undefined;
  const code = error.kind === 'payment_required' ? 'payment_required' : 'refused';
  return { code, message: error.message, cellIndex: null };
}

/** The organisation has as many kernels as it may have, or has started too many within a minute. */
const isShortOfKernels = (error: unknown): boolean =>
  error instanceof DomainError && (error.kind === 'conflict' || error.kind === 'rate_limited');
