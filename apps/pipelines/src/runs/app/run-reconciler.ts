import {
  inParallel,
  newId,
  serviceActorContext,
  type Clock,
  type LeaseJudge,
  type Logger,
} from '@platform-backend/core';
import type { Credits } from '../../credits/domain/credits.ts';
import { enforceCancelling, finishStep, loseWorkers, stopOverdue } from '../domain/change-run.ts';
import { OVERDUE_STEP_GRACE_SECONDS, CANCELLING_MS, LOG_DAYS } from '../domain/limits.ts';
import type { RunEngine } from '../domain/run-engine.ts';
import { isOver, type Run } from '../domain/run.ts';
import type { DecideRun, Runs, RunSweeps } from '../domain/runs.ts';
import type { ChildRuns } from './child-runs.ts';
import type { RunUseCases } from './runs.ts';

export interface RunReconcilerPorts {
  readonly runs: Runs;
  readonly sweeps: RunSweeps;
  readonly engine: Pick<RunEngine, 'submit' | 'isBusy'>;
  readonly credits: Pick<Credits, 'extend'>;
  readonly app: RunUseCases;
  readonly children: Pick<ChildRuns, 'sweep'>;
  /** Whether workers are known to be lost whose leases have run out. */
  readonly judge: Pick<LeaseJudge, 'mayJudge'>;
  /** So long runs are kept that are over. */
  readonly retentionDays: number;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

const AT_ONCE = 200;
/** Organisations. */
const EXTENDED_AT_ONCE = 8;
/** A step that is ready for so long was most likely forgotten: a message was lost, or whoever should have sent it. */
const FORGOTTEN_MS = 10_000;
/** The same while others wait as well: it is most likely behind them. */
const FORGOTTEN_AMONG_OTHERS_MS = 300_000;

/** What a process leaves undone that dies, another one does. */
export function runReconciler(ports: RunReconcilerPorts) {
  const { runs, sweeps, engine, credits, app, children, judge, retentionDays, clock, logger } = ports;
  const since = (ms: number): Date => new Date(clock.now().getTime() - ms);

  const change = (organisationId: string, runId: string, decide: DecideRun<Run>): Promise<Run> =>
    runs.change(serviceActorContext('pipelines', organisationId, newId()), runId, decide);

  /** What fails for one of them concerns no other, nor what is swept afterwards. */
  async function forEach<Item>(find: () => Promise<readonly Item[]>, sweepOne: (item: Item) => Promise<unknown>) {
    const failed = (error: unknown): void =>
      logger.warn(
        { event: 'runs.sweep_failed', err: error },
        'something of runs could not be swept, trying again later',
      );
    for (const item of await find().catch((error: unknown) => (failed(error), []))) await sweepOne(item).catch(failed);
  }

  async function submitUnlessOver(organisationId: string, run: Run): Promise<void> {
    if (!isOver(run)) await engine.submit([{ organisationId, run }]);
  }

  return {
    /** Takes steps away from processes that are gone, ends what should have ended, and admits what waits. */
    async sweep(): Promise<void> {
      const at = clock.now();
      if (judge.mayJudge())
        await forEach(
          () => sweeps.ofLostWorkers(AT_ONCE),
          async ({ organisationId, runId, lostWorkers }) => {
            const lose = (found: Run) => loseWorkers(found, (worker) => lostWorkers.includes(worker), at);
            await submitUnlessOver(organisationId, await change(organisationId, runId, lose));
          },
        );
      await forEach(
        () => sweeps.beyondLimit(OVERDUE_STEP_GRACE_SECONDS, AT_ONCE),
        async ({ organisationId, runId, stepIndex, attempt }) => {
          const end = { outcome: 'ERROR', message: 'It took longer than it may, and nothing was heard of it' } as const;
          const lose = (found: Run) => finishStep(found, { stepIndex, attempt, end, at });
          await submitUnlessOver(organisationId, await change(organisationId, runId, lose));
        },
      );
      await forEach(
        () => sweeps.overdue(at, AT_ONCE),
        async ({ organisationId, runId }) =>
          app.interrupt(organisationId, await change(organisationId, runId, (found) => stopOverdue(found, at))),
      );
      await forEach(
        () => sweeps.overdueCancellations(since(CANCELLING_MS), AT_ONCE),
        ({ organisationId, runId }) => change(organisationId, runId, (run) => enforceCancelling(run, at)),
      );
      await forEach(
        () => sweeps.organisationsWaiting(AT_ONCE),
        async (organisationId) => app.submit(organisationId, await sweeps.admit(organisationId)),
      );
      await children
        .sweep()
        .catch((error: unknown) =>
          logger.warn(
            { event: 'runs.sweep_failed', err: error },
            'something of runs could not be swept, trying again later',
          ),
        );
      const forgottenMs = (await engine.isBusy()) ? FORGOTTEN_AMONG_OTHERS_MS : FORGOTTEN_MS;
      const forgotten = await sweeps.forgotten(since(forgottenMs), AT_ONCE);
      if (forgotten.length > 0) await engine.submit(forgotten);
    },

    /** Keeps set aside what runs may cost that go on: they outlive whoever has started them. */
    async extendReservations(stopping: AbortSignal): Promise<void> {
      await inParallel(await sweeps.reserved(), { atOnce: EXTENDED_AT_ONCE, stopping }, ({ organisationId, runIds }) =>
        credits.extend(organisationId, runIds),
      );
    },

    /** Part by part, so that none of them holds anything for long. */
    async removeRuns(stopping: AbortSignal): Promise<void> {
      while (!stopping.aborted && (await sweeps.removeRuns(since(retentionDays * 86_400_000))) > 0);
    },

    removeLogs: () => sweeps.removeLogs(since(LOG_DAYS * 86_400_000)),
  };
}
