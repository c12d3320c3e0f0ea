import type { Clock, Logger } from '@platform-backend/core';
import type { WorkQueue } from '@platform-backend/events';
import { MAX_LOG_LINE_LENGTH } from '../../step-engine/domain/limits.ts';
import type { StepRun } from '../../step-engine/domain/step-job.ts';
import { MAX_LOG_LINES } from '../domain/limits.ts';
import type { BegunStep, ReportedEnd, RunEngine, RunReports, StepRef } from '../domain/run-engine.ts';
import { dueSteps } from '../domain/run.ts';
import type { RunWorkers } from '../domain/runs.ts';
import { keptLog } from './kept-log.ts';

export interface EmbeddedEngineOptions {
  readonly queue: WorkQueue;
  /** Runs what a step says; rejected when the signal is aborted. */
  readonly executeStep: (begun: BegunStep, run: Pick<StepRun, 'signal' | 'onLog' | 'onRan'>) => Promise<ReportedEnd>;
  readonly workers: RunWorkers;
  /** The name of this process among the workers: a UUID. */
  readonly worker: string;
  /** Most steps at once in this process. */
  readonly slots: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface EmbeddedEngine extends RunEngine {
  /** Takes steps from the queue, and reports here. */
  work(reports: RunReports): { stop(): Promise<void> };
}

/** A process that was silent for so long has lost what it had begun. */
const LEASE_MS = 15_000;
const KEEP_EVERY_MS = 2_000;
/** A run of long steps keeps no slot from others between them, and short ones need not queue. */
const GO_ON_MS = 1_000;

interface Running {
  readonly runId: string;
  readonly stop: AbortController;
}

/**
 * Runs over any number of processes. The queue says only that there is something to do; what, and whether it is still to
 * be done, is asked where runs are recorded, and so a message may come twice, late, or not at all.
 */
export function embeddedEngine(options: EmbeddedEngineOptions): EmbeddedEngine {
  const { queue, executeStep, workers, worker, slots, clock, logger } = options;
  const running = new Set<Running>();

  const offer = (steps: readonly StepRef[]): Promise<void> =>
    steps.length === 0 ? Promise.resolve() : queue.offer(steps.map(messageOf));

  const stopRun = (runId: string): void => {
    for (const one of running) if (one.runId === runId) one.stop.abort(new Cancelled());
  };

  return {
    name: 'embedded',

    submit: (runs) =>
      offer(
        runs.flatMap(({ organisationId, run }) =>
          dueSteps(run, clock.now()).map((stepIndex) => ({ organisationId, runId: run.id, stepIndex })),
        ),
      ),

    isBusy: async () => (await queue.waiting()) > 0,

    cancel({ run }) {
      stopRun(run.id);
      return Promise.resolve();
    },

    work(reports) {
      const closing = new AbortController();
      const kept = keepLease();
      const taking = queue.take<BegunStep>({
        slots,
        begin: async (message) => {
          await kept.begun;
          return reports.stepStarted(refOf(message), worker);
        },
        execute: async (begun) => {
          // What follows a step is begun with its end, for a while: then it waits behind the others.
          const until = clock.now().getTime() + GO_ON_MS;
          for (let next: BegunStep | undefined = begun; next;) next = await executeAttempt(next, until);
        },
      });

      async function executeAttempt(begun: BegunStep, until: number): Promise<BegunStep | undefined> {
        const { at } = begun;
        const end = await endOf(begun);
        if (!end) return undefined;
        const mayGoOn = !closing.signal.aborted && clock.now().getTime() < until;
        const { ready, begun: next } = await withRetries(() =>
          reports.stepFinished(at, end, mayGoOn ? worker : undefined),
        );
        const { organisationId, runId } = at;
        const others = ready.filter((stepIndex) => stepIndex !== next?.at.stepIndex);
        await offer(others.map((stepIndex) => ({ organisationId, runId, stepIndex }))).catch((error: unknown) =>
          logger.warn(
            { event: 'steps.dispatch_failed', err: error },
            'steps could not be offered, they are found later',
          ),
        );
        return next;
      }

      /** Undefined: nobody wants to know. */
      async function endOf(begun: BegunStep): Promise<ReportedEnd | undefined> {
        const one = { runId: begun.at.runId, stop: new AbortController() };
        const signal = AbortSignal.any([one.stop.signal, closing.signal]);
        const log = keptLog({
          append: (lines) => reports.stepLogged(begun.at, lines),
          clock,
          logger,
          maxLines: MAX_LOG_LINES,
          maxLength: MAX_LOG_LINE_LENGTH,
        });
        let seconds = 0;
        running.add(one);
        try {
          return await executeStep(begun, { signal, onLog: log.write, onRan: (ran) => (seconds = ran) });
        } catch (error) {
          if (one.stop.signal.aborted) return { outcome: 'ERROR', message: 'The run was cancelled', seconds };
          if (closing.signal.aborted) return { outcome: 'RETURNED' };
          logger.error({ event: 'step.failed', err: error, ...begun.at }, 'a step could not be carried out');
          return { outcome: 'ERROR', message: 'It could not be carried out' };
        } finally {
          running.delete(one);
          await log.end();
        }
      }

      /** Says again and again that this process is there, and hears which of its runs shall end. */
      function keepLease() {
        const keep = async (): Promise<void> => {
          const wanted = await workers.keep(worker, new Date(clock.now().getTime() + LEASE_MS));
          for (const runId of wanted) stopRun(runId);
        };
        const failed = (error: unknown): void =>
          logger.warn({ event: 'steps.lease_renewal_failed', err: error }, 'the lease could not be renewed');
        const begun = withRetries(keep);
        const timer = setInterval(() => void keep().catch(failed), KEEP_EVERY_MS).unref();
        return {
          begun,
          end: async () => {
            clearInterval(timer);
            await workers.leave(worker).catch(failed);
          },
        };
      }

      /** The database may be away for a while; what has been done is not to be done again for that. */
      async function withRetries<T>(work: () => Promise<T>): Promise<T> {
        for (let failures = 0; ; failures += 1) {
          try {
            return await work();
          } catch (error) {
            if (failures === TRIES) throw error;
            await new Promise((resolve) => setTimeout(resolve, Math.min(100 * 2 ** failures, 2_000)));
          }
        }
      }

      return {
        async stop() {
          closing.abort();
          await taking.stop();
          await kept.end();
        },
      };
    },
  };
}

/** `place` as the release before calls the index: its processes share the queue while this one is rolled out. */
interface StepMessage extends Omit<StepRef, 'stepIndex'> {
  readonly place: number;
}

const messageOf = ({ stepIndex: place, ...ref }: StepRef): string =>
  JSON.stringify({ ...ref, place } satisfies StepMessage);

function refOf(message: string): StepRef {
  const { place: stepIndex, ...ref } = JSON.parse(message) as StepMessage;
  return { ...ref, stepIndex };
}

/** About as long as a lease; then the step is another one's. */
const TRIES = 10;

class Cancelled extends Error {
  override readonly name = 'Cancelled';
}
