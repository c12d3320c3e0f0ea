import { newId, serviceActorContext, type ActorContext, type Clock, type Logger } from '@platform-backend/core';
import { cancelRun } from '../domain/change-run.ts';
import { awaitedRunIds } from '../domain/child-run.ts';
import type { RunEngine } from '../domain/run-engine.ts';
import { isOver, type Run } from '../domain/run.ts';
import type { Runs } from '../domain/runs.ts';

export interface InterruptPorts {
  readonly runs: Pick<Runs, 'findMany' | 'change'>;
  readonly engine: Pick<RunEngine, 'cancel'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/** The end of runs that somebody wants, with that of those which they have started. */
export function interruptRuns({ runs, engine, clock, logger }: InterruptPorts) {
  const cancel = async (by: ActorContext, runId: string): Promise<void> =>
    interrupt(by.organisationId, await runs.change(by, runId, (run) => cancelRun(run, clock.now())));

  /** Tells the engine of a run whose end is wanted. Should this fail, its workers hear of it when they next ask. */
  async function interrupt(organisationId: string, run: Run): Promise<void> {
    if (run.status !== 'Cancelling') return;
    const failed = (error: unknown): void =>
      logger.warn(
        { event: 'run.cancellation_failed', err: error, runId: run.id },
        'the engine could not be told of a run that shall end',
      );
    await engine.cancel({ organisationId, run }).catch(failed);
    await cancelChildren(organisationId, awaitedRunIds({ organisationId, run })).catch(failed);
  }

  /** Of runs that another one has started, and waits for no more; those that are not there are none. */
  async function cancelChildren(organisationId: string, runIds: readonly string[]): Promise<void> {
    if (runIds.length === 0) return;
    const by = serviceActorContext('pipelines', organisationId, newId());
    const goingOn = (await runs.findMany(organisationId, runIds)).filter((run) => !isOver(run));
    await Promise.all(goingOn.map(({ id }) => cancel(by, id)));
  }

  return { cancel, interrupt, cancelChildren };
}
