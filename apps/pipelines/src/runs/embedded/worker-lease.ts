import type { LeaseJudge, Logger } from '@platform-backend/core';
import { WORKER_LEASE_MS } from '../domain/limits.ts';
import type { StepAttempt } from '../domain/run-engine.ts';
import type { RecordedAttempt, RunWorkers } from '../domain/runs.ts';

export interface WorkerLeaseOptions {
  readonly workers: RunWorkers;
  /** The name of this process among the workers. */
  readonly worker: string;
  readonly judge: Pick<LeaseJudge, 'renewed'>;
  readonly logger: Pick<Logger, 'warn'>;
  /** An attempt that is recorded as this worker's, and that it does not carry out. */
  readonly giveBack: (at: StepAttempt) => Promise<void>;
}

/** An attempt that this process carries out, or of which it reports the end. */
export interface HeldAttempt {
  readonly at: StepAttempt;
  /** Its run shall end, or it is somebody else's by now. */
  readonly stop: AbortController;
  /** No lease was held all the time: this process stood still, or the database was away. */
  wasSilent: boolean;
}

export type WorkerLease = ReturnType<typeof workerLease>;

const KEEP_EVERY_MS = 2_000;

/**
 * Says again and again that this process is there, and compares what is recorded as carried out by it with what it does: what is
 * no longer wanted is stopped, and what it does not carry out, as an answer was lost, is given back.
 */
export function workerLease({ workers, worker, judge, logger, giveBack }: WorkerLeaseOptions) {
  const held = new Map<string, HeldAttempt>();
  /** Runs of which something is just being begun or recorded: what is read of them may be older or newer. */
  const changing = new Map<string, number>();
  let missing: ReadonlySet<string> = new Set();
  let renewedAt = performance.now();

  /** Of all attempts that were held meanwhile. */
  function noteSilence(): void {
    if (performance.now() - renewedAt <= WORKER_LEASE_MS) return;
    for (const one of held.values()) one.wasSilent = true;
  }

  async function renew(): Promise<void> {
    const before = [...held];
    const recorded = await workers.keep(worker, WORKER_LEASE_MS);
    noteSilence();
    renewedAt = performance.now();
    judge.renewed();
    const own = new Set(recorded.map(keyOf));
    for (const one of recorded) if (one.isUnwanted) held.get(keyOf(one))?.stop.abort(new NotWanted());
    for (const [key, one] of before) if (!own.has(key) && !changing.has(one.at.runId)) one.stop.abort(new NotWanted());
    await giveBackAgain(recorded);
  }

  /** What is missing twice is lost: between the two everything that was on its way has come. */
  async function giveBackAgain(recorded: readonly RecordedAttempt[]): Promise<void> {
    const notHere = recorded.filter((one) => !one.isUnwanted && !held.has(keyOf(one)) && !changing.has(one.runId));
    const lost = notHere.filter((one) => missing.has(keyOf(one)));
    missing = new Set(notHere.map(keyOf));
    for (const { organisationId, runId, stepIndex, attempt } of lost) {
      const at = { organisationId, runId, stepIndex, attempt };
      logger.warn({ event: 'step.given_back', ...at }, 'a step that nobody carried out is begun again');
      await giveBack(at);
    }
  }

  const failed = (error: unknown): void =>
    logger.warn({ event: 'steps.lease_renewal_failed', err: error }, 'the lease could not be renewed');
  let present: Promise<void> | undefined;
  const timer = setInterval(() => {
    present ??= renew()
      .catch(failed)
      .finally(() => (present = undefined));
  }, KEEP_EVERY_MS).unref();

  return {
    renew,

    hold(at: StepAttempt): HeldAttempt {
      const one = { at, stop: new AbortController(), wasSilent: false };
      held.set(keyOf(at), one);
      return one;
    },

    letGo({ at }: HeldAttempt): void {
      held.delete(keyOf(at));
    },

    /** While this goes on, nothing is concluded from what is recorded of the run. */
    async whileChanging<T>(runId: string, change: () => Promise<T>): Promise<T> {
      changing.set(runId, (changing.get(runId) ?? 0) + 1);
      try {
        return await change();
      } finally {
        const left = (changing.get(runId) ?? 1) - 1;
        if (left === 0) changing.delete(runId);
        else changing.set(runId, left);
      }
    },

    noteSilence,

    stopRun(runId: string): void {
      for (const one of held.values()) if (one.at.runId === runId) one.stop.abort(new NotWanted());
    },

    async end(): Promise<void> {
      clearInterval(timer);
      await present;
      await workers.leave(worker).catch(failed);
    },
  };
}

const keyOf = ({ runId, stepIndex, attempt }: StepAttempt): string => `${runId} ${stepIndex} ${attempt}`;

class NotWanted extends Error {
  override readonly name = 'NotWanted';
}
