import { DomainError, isAway, newId, serviceActorContext, type Clock, type Logger } from '@platform/core';
import { withOutput } from '../../domain/jobs/cell-outputs.ts';
import type { Json } from '../../domain/jobs/json.ts';
import { programOf, type NotebookProgram } from '../../domain/jobs/notebook-program.ts';
import {
  finishNotebookRun,
  isCarriedOut,
  notebookRunGoesOn,
  postponeNotebookRun,
  takeNotebookRun,
  type NotebookRun,
  type RunFailure,
} from '../../domain/jobs/notebook-run.ts';
import type { DueRun, NotebookRuns } from '../../domain/jobs/notebook-runs.ts';
import type { KernelLimits } from '../../domain/kernels/kernel-provider.ts';
import type { KernelUseCases, Starter } from '../kernels.ts';
import { jobKernel } from './job-kernel.ts';
import { runProgram } from './run-program.ts';

export interface CarryOutPorts {
  readonly runs: NotebookRuns;
  readonly kernels: Pick<KernelUseCases, 'startJobKernel' | 'stopKernel'>;
  readonly limits: KernelLimits;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type CarryingOutRuns = ReturnType<typeof carryingOutRuns>;

const ROUND = 20;
/** Of one replica. */
const AT_ONCE = 10;
const RENEW_EVERY_MS = 3_000;
const TIME_LIMIT_SECONDS = 3_600;
const MARGIN_SECONDS = 60;
/** Of what all cells show, in characters of JSON. */
const MAX_SHOWN = 12_000_000;

type Shown = readonly Readonly<Record<string, Json>>[];

/** Carries out runs of notebooks, of which replicas take one after the other; that of a replica that was lost begins again. */
export function carryingOutRuns({ runs, kernels, limits, clock, logger }: CarryOutPorts) {
  const going = new Set<Promise<void>>();
  const closing = new AbortController();

  const carryOut = async ({ organisationId, id }: DueRun): Promise<void> => {
    const attemptId = newId();
    const itself = serviceActorContext('notebooks', organisationId, newId());
    const run = await runs.update(itself, id, (known) => takeNotebookRun(known, attemptId, clock.now()));
    if (!isCarriedOut(run, attemptId)) return;
    const { userId, clientGroupId, apiKeyId } = run;
    const by: Starter = { ...itself, actor: { ...itself.actor, userId }, clientGroupId, apiKeyId };
    try {
      const text = await runs.contentOf(organisationId, id);
      const program = programOf(JSON.parse(text) as Readonly<Record<string, Json>>, run.parameters);
      const kernel = await kernels.startJobKernel(by, {
        spec: run.kernelName,
        notebookId: run.notebookId,
        isCharged: true,
        limits: { ...limits, executeSeconds: TIME_LIMIT_SECONDS + MARGIN_SECONDS },
      });
      const stop = () => kernels.stopKernel(by, kernel.id).catch(() => undefined);
      await execute(by, run, { attemptId, program, kernel, stop }).finally(stop);
    } catch (error) {
      if (closing.signal.aborted) return;
      const failure = refusalIn(error);
      if (failure) {
        const end = { cellsDone: 0, failure };
        await runs.update(itself, id, (known) => finishNotebookRun(known, attemptId, end, clock.now()));
        return;
      }
      if (!isShortOfKernels(error)) logger.warn({ err: error, runId: id }, 'a run of a notebook could not go on now');
      await runs.update(itself, id, (known) => postponeNotebookRun(known, attemptId, clock.now()));
    }
  };

  const execute = async (
    by: Starter,
    { id }: NotebookRun,
    {
      attemptId,
      program,
      kernel,
      stop,
    }: {
      readonly attemptId: string;
      readonly program: NotebookProgram;
      readonly kernel: Awaited<ReturnType<KernelUseCases['startJobKernel']>>;
      readonly stop: () => Promise<unknown>;
    },
  ): Promise<void> => {
    let cellsDone = 0;
    let shown = 0;
    const outputs = new Map<number, Shown>();
    const counts = new Map<number, number | null>();
    const renew = async (): Promise<void> => {
      const known = await runs.update(by, id, (run) => notebookRunGoesOn(run, attemptId, cellsDone, clock.now()));
      if (!isCarriedOut(known, attemptId)) await stop();
    };
    // One that could not say that it lives is begun by another one, and hears of that the next time.
    const renewing = setInterval(() => void renew().catch(() => undefined), RENEW_EVERY_MS);
    const abort = (): void => void stop();
    closing.signal.addEventListener('abort', abort);
    try {
      const failure = await runProgram(jobKernel(kernel.handle, kernel.gone), {
        cells: program.cells,
        timeLimitSeconds: TIME_LIMIT_SECONDS,
        hear: (at, word) => {
          shown += JSON.stringify(word.content).length;
          if (shown <= MAX_SHOWN) outputs.set(at, withOutput(outputs.get(at) ?? [], word));
        },
        done: (at, { executionCount }) => {
          counts.set(at, executionCount);
          cellsDone += 1;
          return Promise.resolve();
        },
      });
      if (closing.signal.aborted) return;
      const text = JSON.stringify(resultOf(program, outputs, counts));
      const end = { cellsDone, failure };
      await runs.update(by, id, (run) => finishNotebookRun(run, attemptId, end, clock.now()), text);
    } finally {
      clearInterval(renewing);
      closing.signal.removeEventListener('abort', abort);
    }
  };

  return {
    /** Takes what is due, as much as there is room for, and does not wait for its end. */
    async begin(): Promise<void> {
      const room = AT_ONCE - going.size;
      if (room <= 0 || closing.signal.aborted) return;
      for (const one of await runs.due(clock.now(), Math.min(room, ROUND))) {
        const carried: Promise<void> = carryOut(one)
          .catch((error: unknown) => logger.warn({ err: error, ...one }, 'a run of a notebook was not carried out'))
          .finally(() => going.delete(carried));
        going.add(carried);
      }
    },

    /** Lets go of what is not over: another replica begins it again. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.all(going);
    },
  };
}

function resultOf(
  program: NotebookProgram,
  outputs: ReadonlyMap<number, Shown>,
  counts: ReadonlyMap<number, number | null>,
) {
  const cells = program.cells.map(({ cell, code }, at) =>
    code === undefined ? cell : { ...cell, execution_count: counts.get(at) ?? null, outputs: outputs.get(at) ?? [] },
  );
  return { ...program.rest, cells };
}

/** What trying again would not change. */
function refusalIn(error: unknown): RunFailure | undefined {
  if (!(error instanceof DomainError) || isAway(error) || isShortOfKernels(error)) return undefined;
  const code = error.kind === 'payment_required' ? 'payment_required' : 'refused';
  return { code, message: error.message, place: null };
}

/** The organisation has as many kernels as it may have, or has started too many within a minute. */
const isShortOfKernels = (error: unknown): boolean =>
  error instanceof DomainError && (error.kind === 'conflict' || error.kind === 'rate_limited');
