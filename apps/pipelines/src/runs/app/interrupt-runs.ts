import { newId, serviceActorContext, type ActorContext, type Clock, type Logger } from '@platform-backend/core';
import { cancelRun } from '../domain/change-run.ts';
import { childRunId } from '../domain/child-run.ts';
import type { RunEngine } from '../domain/run-engine.ts';
import type { Run } from '../domain/run.ts';
import type { Runs } from '../domain/runs.ts';

export interface InterruptPorts {
  readonly runs: Pick<Runs, 'find' | 'change'>;
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
    for (const [stepIndex, { startsRun, status, attempt }] of run.steps.entries())
      if (startsRun && status === 'Running')
        await cancelChild(organisationId, childRunId({ organisationId, runId: run.id, stepIndex, attempt })).catch(
          failed,
        );
  }

  /** Of a run that another one has started, and waits for no more. */
  async function cancelChild(organisationId: string, runId: string): Promise<void> {
    if (await runs.find(organisationId, runId))
      await cancel(serviceActorContext('pipelines', organisationId, newId()), runId);
  }

  return { cancel, interrupt, cancelChild };
}
