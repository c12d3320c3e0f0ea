import {
  DomainError,
  inRequest,
  isUnavailable,
  type Clock,
  type LeaseJudge,
  type Logger,
} from '@platform-backend/core';
import type { Taker, WorkMessage, WorkQueue } from '@platform-backend/events';
import type { StepRun } from '../../step-engine/domain/step-job.ts';
import { stepsInTurn } from '../app/steps-in-turn.ts';
import { MAX_LOG_LINES } from '../domain/limits.ts';
import {
  EMBEDDED_ENGINE,
  type BegunStep,
  type ReportedEnd,
  type RunEngine,
  type RunOfOrganisation,
  type RunReports,
  type StepAttempt,
  type StepRef,
} from '../domain/run-engine.ts';
import { dueStepsOf } from '../domain/run.ts';
import type { DueSteps, RunWorkers } from '../domain/runs.ts';
import { keptLog } from './kept-log.ts';
import { workerLease, type HeldAttempt, type WorkerLease } from './worker-lease.ts';

export interface EmbeddedEngineOptions {
  readonly queue: WorkQueue;
  /** The same for steps that need a kernel. */
  readonly kernelQueue: WorkQueue;
  readonly due: DueSteps;
  /** Runs what a step says; rejected when the signal is aborted. */
  readonly executeStep: (begun: BegunStep, run: Pick<StepRun, 'signal' | 'onLog' | 'onRan'>) => Promise<ReportedEnd>;
  /** Ends steps that are not to be carried out; answers what is left of the run. Never rejects. */
  readonly skipSteps: (of: RunOfOrganisation) => Promise<RunOfOrganisation>;
  /** Looks after steps that other runs carry out. Never rejects. */
  readonly tendChildren: (of: RunOfOrganisation) => Promise<void>;
  readonly workers: RunWorkers;
  readonly judge: Pick<LeaseJudge, 'renewed'>;
  /** The name of this process among the workers: a UUID. */
  readonly worker: string;
  /** Most steps at once in this process, and one more of an organisation for which none is carried out anywhere. */
  readonly slots: number;
  /** The same of steps that need a kernel. */
  readonly kernelSlots: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface EmbeddedEngine extends RunEngine {
  /** Takes steps from the queue, and reports here. */
  work(reports: RunReports): { stop(): Promise<void> };
}

/** How long at most an organisation waits of which nothing is carried out, however long the steps of others take. */
const LOOK_FOR_IDLE_MS = 1_000;
/** For so long a process remembers a step that waits for its next attempt; what waits longer is found by the sweep. */
const REMEMBERED_PAUSE_MS = 60_000;
/** A run of long steps keeps no slot from others between them, and short ones need not queue. */
const GO_ON_MS = 1_000;

type Turns = ReturnType<typeof stepsInTurn>;

/** Steps of one kind, with the places for them. */
interface Lane {
  readonly needsKernel: boolean;
  readonly queue: WorkQueue;
  readonly slots: number;
  /** How many of them are. */
  taken: number;
  readonly turns: Turns;
}

/**
 * Runs over any number of processes. The queues say only that there is something to do; what, and whether it is still to
 * be done, is asked where runs are recorded, and so a message may come twice, late, or not at all. While more than one waits, it
 * is the turn of organisations which step is begun, and not the order of messages.
 */
export function embeddedEngine(options: EmbeddedEngineOptions): EmbeddedEngine {
  const { executeStep, worker, clock, logger } = options;
  let lease: WorkerLease | undefined;
  const now = () => clock.now();
  const [processes, kernels] = [
    { needsKernel: false, queue: options.queue, slots: options.slots },
    { needsKernel: true, queue: options.kernelQueue, slots: options.kernelSlots },
  ].map((lane) => ({ ...lane, taken: 0, turns: stepsInTurn({ due: options.due, now }, lane) })) as [Lane, Lane];
  const lanes = [processes, kernels];

  const offer = async (due: readonly RunOfOrganisation[]): Promise<void> => {
    // What is skipped waits for no place.
    const found = await Promise.all(due.map(options.skipSteps));
    const offered = lanes.map(async (lane) => {
      const messages = found.flatMap((one) =>
        dueStepsOf(one.run, lane, now()).map((stepIndex) => messageOf(one, stepIndex)),
      );
      if (messages.length > 0) await lane.queue.offer(messages);
    });
    for (const one of found) if (one.run.steps.some((step) => step.startsRun)) void options.tendChildren(one);
    await Promise.all(offered);
  };

  return {
    name: EMBEDDED_ENGINE,

    submit: offer,

    isBusy: async () => (await Promise.all(lanes.map(({ queue }) => queue.waiting()))).some((waiting) => waiting > 0),

    cancel({ run }) {
      lease?.stopRun(run.id);
      return Promise.resolve();
    },

    work(reports) {
      const closing = new AbortController();
      const kept = workerLease({ ...options, giveBack });
      const pauses = new Set<NodeJS.Timeout>();
      let listed: Promise<void> | undefined;
      /** Whoever is not named among the workers counts as lost. What failed is tried again by whoever comes next. */
      const whenListed = (): Promise<void> =>
        (listed ??= withRetries(kept.renew, closing.signal).catch((error: unknown) => {
          listed = undefined;
          throw error;
        }));
      whenListed().catch((error: unknown) =>
        logger.warn({ event: 'steps.lease_renewal_failed', err: error }, 'the lease could not be renewed'),
      );
      lease = kept;
      const taking = lanes.flatMap((lane) => [lane.queue.take(takerOf(lane)), reservedSlot(lane)]);

      function takerOf(lane: Lane): Taker<BegunStep> {
        const { slots, turns } = lane;
        const begin = async (message: string, othersWait: boolean): Promise<BegunStep | undefined> => {
          await whenListed();
          const own = othersWait ? undefined : await start(refOf(message), turns);
          if (own) return own;
          for (let next = await turns.next(); next; next = await turns.next()) {
            const begun = await start(next, turns);
            if (begun) return begun;
          }
          return othersWait ? start(refOf(message), turns) : undefined;
        };
        const executeHere = async (begun: BegunStep): Promise<void> => {
          lane.taken += 1;
          await execute(begun).finally(() => (lane.taken -= 1));
        };
        return { slots, begin, execute: executeHere };
      }

      async function start(ref: StepRef, turns: Turns): Promise<BegunStep | undefined> {
        const started = await kept.whileChanging(ref.runId, () => reports.stepStarted(ref, worker));
        if (started) turns.hadTurn(ref.organisationId);
        return started;
      }

      async function execute(begun: BegunStep): Promise<void> {
        // What follows a step is begun with its end, for a while: then it waits behind the others.
        const until = clock.now().getTime() + GO_ON_MS;
        for (let next: BegunStep | undefined = begun; next;) next = await executeAttempt(next, until);
      }

      /** Looks for those who would wait for steps of others that take hours, and has one of theirs carried out. */
      function reservedSlot(lane: Lane) {
        const { turns } = lane;
        let present: Promise<void> | undefined;
        const look = async (): Promise<void> => {
          await whenListed();
          for (let next = await turns.nextOfIdle(); next && !closing.signal.aborted; next = await turns.nextOfIdle()) {
            const begun = await start(next, turns);
            if (begun) await execute(begun);
          }
        };
        const timer = setInterval(() => {
          // Where a place is free, whoever waits is given it by a message.
          if (lane.taken < lane.slots) return;
          present ??= look()
            .catch((error: unknown) =>
              logger.warn({ event: 'steps.look_failed', err: error }, 'it could not be looked for steps that wait'),
            )
            .finally(() => (present = undefined));
        }, LOOK_FOR_IDLE_MS).unref();
        return {
          async stop() {
            clearInterval(timer);
            await present;
          },
        };
      }

      /** What it logs and asks of other services comes of the request that has started the run. */
      function executeAttempt(attempted: BegunStep, until: number): Promise<BegunStep | undefined> {
        const { requestId } = attempted.run;
        const execute = () => executeWhole(attempted, until);
        return requestId === null ? execute() : inRequest(requestId, execute);
      }

      async function executeWhole(attempted: BegunStep, until: number): Promise<BegunStep | undefined> {
        const { at } = attempted;
        const held = kept.hold(at);
        try {
          const end = await endOf(attempted, held);
          const mayGoOn = !closing.signal.aborted && clock.now().getTime() < until;
          return await kept.whileChanging(at.runId, () => report(at, end, mayGoOn ? worker : undefined));
        } finally {
          kept.letGo(held);
        }
      }

      /** Records the end of an attempt and has carried out what follows; answers what this process goes on with. */
      async function report(at: StepAttempt, end: ReportedEnd, goOnAs?: string): Promise<BegunStep | undefined> {
        const finish = (ended: ReportedEnd) => () => reports.stepFinished(at, ended, goOnAs);
        const { run, begun: next } = await withRetries(finish(end), closing.signal).catch((error: unknown) => {
          logger.error(
            { event: 'step.end_not_recorded', err: error, ...at },
            'the end of a step could not be recorded',
          );
          return withRetries(finish(unrecorded(error, end)), closing.signal);
        });
        await offerUnlessLost({ organisationId: at.organisationId, run });
        offerAfterPause({ organisationId: at.organisationId, run }, at.stepIndex);
        return next;
      }

      const offerUnlessLost = (of: RunOfOrganisation): Promise<void> =>
        offer([of]).catch((error: unknown) =>
          logger.warn(
            { event: 'steps.dispatch_failed', err: error },
            'steps could not be offered, they are found later',
          ),
        );

      /** A step that is to be tried again soon. */
      function offerAfterPause(of: RunOfOrganisation, stepIndex: number): void {
        const { status, notBefore } = of.run.steps[stepIndex] ?? {};
        const pauseMs = (notBefore?.getTime() ?? 0) - clock.now().getTime();
        if (status !== 'Pending' || pauseMs <= 0 || pauseMs > REMEMBERED_PAUSE_MS || closing.signal.aborted) return;
        const timer = setTimeout(() => {
          pauses.delete(timer);
          // A timer may come a moment before the clock says so.
          if ((notBefore ?? clock.now()) <= clock.now()) void offerUnlessLost(of);
          else offerAfterPause(of, stepIndex);
        }, pauseMs).unref();
        pauses.add(timer);
      }

      /** It may have been begun and never have come here, as an answer was lost. */
      async function giveBack(at: StepAttempt): Promise<void> {
        await report(at, { outcome: 'RETURNED' });
      }

      async function endOf(attempted: BegunStep, held: HeldAttempt): Promise<ReportedEnd> {
        const { at } = attempted;
        const signal = AbortSignal.any([held.stop.signal, closing.signal]);
        const log = keptLog({
          append: (lines) => reports.stepLogged(at, lines),
          clock,
          logger,
          maxLines: MAX_LOG_LINES,
        });
        let seconds = 0;
        try {
          // Begun while this process was about to stop, say.
          signal.throwIfAborted();
          const end = await executeStep(attempted, { signal, onLog: log.write, onRan: (ran) => (seconds = ran) });
          kept.noteSilence();
          // It may have failed for the time in which nothing moved here.
          return end.outcome === 'FAILED' && held.wasSilent ? STOOD_STILL : end;
        } catch (error) {
          if (held.stop.signal.aborted) return { outcome: 'ERROR', message: 'The run was cancelled', seconds };
          if (closing.signal.aborted) return { outcome: 'RETURNED' };
          logger.error({ event: 'step.failed', err: error, ...at }, 'a step could not be carried out');
          return { outcome: 'ERROR', message: 'It could not be carried out' };
        } finally {
          await log.end();
        }
      }

      return {
        async stop() {
          closing.abort();
          for (const timer of pauses) clearTimeout(timer);
          await Promise.all(taking.map((one) => one.stop()));
          await kept.end();
        },
      };
    },
  };
}

/**
 * `place` as releases of before call the index: their processes share the queue while this one is rolled out. It is null of steps that they do not
 * know, so that they find nothing there.
 */
interface StepMessage extends Omit<StepRef, 'stepIndex'> {
  readonly place: number | null;
  readonly stepIndex?: number;
}

/** Told apart by the attempt that is to begin: a step that is ready is offered with every change of its run. */
function messageOf({ organisationId, run, readySince }: RunOfOrganisation, stepIndex: number): WorkMessage {
  const again = readySince ? [readySince.getTime()] : [];
  const { attempt = 0, engineVersion = 1 } = run.steps[stepIndex] ?? {};
  const id = [run.id, stepIndex, attempt, ...again].join('-');
  const step = engineVersion > 1 ? { place: null, stepIndex } : { place: stepIndex };
  return { id, text: JSON.stringify({ organisationId, runId: run.id, ...step } satisfies StepMessage) };
}

function refOf(message: string): StepRef {
  const { place, stepIndex = place ?? -1, ...ref } = JSON.parse(message) as StepMessage;
  return { ...ref, stepIndex };
}

const STOOD_STILL = { outcome: 'ERROR', message: 'What carried it out stood still meanwhile' } as const;

/** What a step has come to whose end is refused where it is recorded: for a reason that stays, or for none that is known. */
const unrecorded = (error: unknown, end: ReportedEnd): ReportedEnd =>
  error instanceof DomainError && !isUnavailable(error)
    ? {
        outcome: 'FAILED',
        code: 'not_recorded',
        message: error.message,
        failedRows: [],
        inputVersionIds: [],
        seconds: secondsOf(end),
      }
    : { outcome: 'ERROR', message: 'Its end could not be recorded' };

const secondsOf = (end: ReportedEnd): number => ('seconds' in end ? (end.seconds ?? 0) : 0);

/** Of what fails for an unknown reason, and of everything once this process stops. */
const TRIES = 5;
const MAX_PAUSE_MS = 2_000;

/**
 * The database may be away for a while, and what has been done is not to be done again for that: nobody else can take it over
 * meanwhile. What it refuses is not tried again.
 */
async function withRetries<T>(work: () => Promise<T>, stopping: AbortSignal): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      const mayPass = !(error instanceof DomainError) || isUnavailable(error);
      const isOutage = isUnavailable(error) && !stopping.aborted;
      if (!mayPass || (failures >= TRIES && !isOutage)) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(100 * 2 ** failures, MAX_PAUSE_MS)));
    }
  }
}
