import { type Clock, inParallel, serviceActorContext } from '@platform-backend/core';
import type { Credits } from '../../credits/domain/credits.ts';
import { enforceCancelling, loseWorkers, stopOverdue } from '../domain/change-run.ts';
import { CANCELLING_MS, LOG_DAYS } from '../domain/limits.ts';
import type { RunEngine } from '../domain/run-engine.ts';
import { isOver, type Run } from '../domain/run.ts';
import type { DecideRun, Runs, RunSweeps } from '../domain/runs.ts';
import type { RunUseCases } from './runs.ts';

export interface RunReconcilerPorts {
  readonly runs: Runs;
  readonly sweeps: RunSweeps;
  readonly engine: Pick<RunEngine, 'submit' | 'isBusy'>;
  readonly credits: Pick<Credits, 'extend'>;
  readonly app: RunUseCases;
  readonly clock: Clock;
  readonly newId: () => string;
}

const AT_ONCE = 200;
/** Organisations. */
const EXTENDED_AT_ONCE = 8;
/** A step that is ready for so long was most likely forgotten: a message was lost, or whoever should have sent it. */
const FORGOTTEN_MS = 10_000;
/** The same while others wait as well: it is most likely behind them. */
const FORGOTTEN_AMONG_OTHERS_MS = 300_000;

/** What a process leaves undone that dies, another one does. */
export function runReconciler({ runs, sweeps, engine, credits, app, clock, newId }: RunReconcilerPorts) {
  const since = (ms: number): Date => new Date(clock.now().getTime() - ms);

  const change = (organisationId: string, runId: string, decide: DecideRun<Run>): Promise<Run> =>
    runs.change(serviceActorContext('pipelines', organisationId, newId()), runId, decide);

  return {
    /** Takes steps away from processes that are gone, ends what should have ended, and admits what waits. */
    async sweep(): Promise<void> {
      const at = clock.now();
      for (const { organisationId, runId, lostWorkers } of await sweeps.ofLostWorkers(at, AT_ONCE)) {
        const run = await change(organisationId, runId, (found) =>
          loseWorkers(found, (worker) => lostWorkers.includes(worker), at),
        );
        if (!isOver(run)) await engine.submit([{ organisationId, run }]);
      }
      for (const { organisationId, runId } of await sweeps.overdue(at, AT_ONCE)) {
        const run = await change(organisationId, runId, (found) => stopOverdue(found, at));
        await app.interrupt(organisationId, run);
      }
      for (const { organisationId, runId } of await sweeps.overdueCancellations(since(CANCELLING_MS), AT_ONCE)) {
        await change(organisationId, runId, (run) => enforceCancelling(run, at));
      }
      for (const organisationId of await sweeps.organisationsWaiting(AT_ONCE)) {
        app.submit(organisationId, await sweeps.admit(organisationId));
      }
      const forgottenMs = (await engine.isBusy()) ? FORGOTTEN_AMONG_OTHERS_MS : FORGOTTEN_MS;
      const forgotten = await sweeps.forgotten(since(forgottenMs), AT_ONCE);
      if (forgotten.length > 0) await engine.submit(forgotten);
    },

    /** Keeps set aside what runs may cost that go on: they outlive whoever has started them. */
    async extendReservations(stopping: AbortSignal): Promise<void> {
      await inParallel(await sweeps.reserved(), EXTENDED_AT_ONCE, stopping, ({ organisationId, runIds }) =>
        credits.extend(organisationId, runIds),
      );
    },

    removeLogs: () => sweeps.removeLogs(since(LOG_DAYS * 86_400_000)),
  };
}
