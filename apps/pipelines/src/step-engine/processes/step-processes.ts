import { fairSemaphore, unavailable, type Logger } from '@platform-backend/core';
import type { Sandbox } from '@platform-backend/sandbox';
import { setTimeout as delay } from 'node:timers/promises';
import type { RunStepFor, StepJob, StepReport, StepRun } from '../domain/step-job.ts';
import type { StepMetrics } from './step-metrics.ts';
import { startProgramIn, type StepProgram } from './step-program.ts';
import { startStepWorker, type StepWorker } from './step-worker.ts';

export interface StepProcessesOptions {
  readonly sandbox: Sandbox;
  /** What they run. */
  readonly program: Promise<StepProgram>;
  /** Where the folders of processes are made. */
  readonly directory: string;
  /** Most steps at once; the others wait, and organisations take turns. */
  readonly processes: number;
  /** Most steps of one organisation at once; all unless given. */
  readonly share?: number;
  /** How many processes wait for work of anybody, from the first on, so that a step begins at once. */
  readonly warm: number;
  /** The most that a job may allow its engine. */
  readonly memoryBytes: number;
  /** Of one organisation, whatever becomes of them. */
  readonly jobsPerProcess: number;
  readonly logger: Pick<Logger, 'warn'>;
  /** Where somebody looks at them. */
  readonly metrics?: StepMetrics;
  /** Of a process that waits for another job of its organisation. */
  readonly idleMs?: number;
}

export interface StepProcesses {
  readonly runStepFor: RunStepFor;
  readonly close: () => Promise<void>;
}

const START_MS = 10_000;
/** Whoever waits for an answer gives up earlier; nothing that waits otherwise takes longer than the longest of its steps. */
const TIMEOUT_MS = 24 * 60 * 60_000;
/** Of one organisation, and of all; further ones are told at once to come back later. */
const [MAX_WAITING, MAX_WAITING_IN_ALL] = [100, 1_000];
const IDLE_MS = 10_000;

/** A process that has had jobs of an organisation, and may have none of others any more. */
interface IdleWorker {
  readonly organisationId: string;
  readonly worker: StepWorker;
  /** False: it cannot have another job. */
  readonly reset: Promise<boolean>;
  isReset: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * Steps in processes that are started before there is work for them, once there was any. The first job says whose a process is: for a while it does jobs of
 * that organisation, one after the other, and forgets each before the next; none of any other. It ends after a job that did not succeed,
 * after many, or when none has come for some seconds. A process has an empty environment and a folder with hard links to the
 * inputs, and in a sandbox sees nothing else; it is killed when it takes more time or memory than its job allows.
 */
export function stepProcesses({
  sandbox,
  program,
  directory,
  processes,
  share = processes,
  warm,
  memoryBytes,
  jobsPerProcess,
  logger,
  metrics,
  idleMs = IDLE_MS,
}: StepProcessesOptions): StepProcesses {
  const all = new Set<StepWorker>();
  const ready: Promise<StepWorker>[] = [];
  /** Those that have waited longest first; never more than may work. Whoever takes one out has it. */
  const idle = new Set<IdleWorker>();
  const starting = new Set<Promise<StepWorker>>();
  const ending = new Set<Promise<void>>();
  const semaphore = fairSemaphore({
    ...{ slots: processes, share, timeoutMs: TIMEOUT_MS },
    ...{ maxWaiting: MAX_WAITING, maxWaitingInAll: MAX_WAITING_IN_ALL },
  });
  const startProgram = startProgramIn(sandbox, memoryBytes);
  let closed = false;
  let working = 0;
  metrics?.observe({
    processes: { working: () => working, idle: () => idle.size, warm: () => ready.length },
    waiting: () => semaphore.waiting,
  });

  function start(): Promise<StepWorker> {
    const worker = begin();
    starting.add(worker);
    const done = (): unknown => starting.delete(worker);
    worker.then(done, done);
    return worker;
  }

  async function begin(): Promise<StepWorker> {
    const started = await program;
    // One that is killed in the moment of its start may outlive its sandbox: it is not started at all.
    if (closed) throw unavailable(new Error('the service stops'));
    const worker = await startStepWorker({
      ...{ program: started, startProgram, directory, logger },
      hasOwnPaths: sandbox.hasOwnPaths,
    });
    all.add(worker);
    metrics?.started();
    try {
      await worker.started;
      worker.onExit(() => idle.forEach((kept) => kept.worker === worker && drop(kept)));
      return worker;
    } catch (error) {
      await end(worker);
      throw error;
    }
  }

  /** Nobody waits for it but who closes. */
  function endSoon(worker: StepWorker): void {
    const ended: Promise<void> = end(worker)
      .catch((error: unknown) =>
        logger.warn({ event: 'step_folder.removal_failed', err: error }, 'a folder of a step could not be removed'),
      )
      .finally(() => ending.delete(ended));
    ending.add(ended);
  }

  async function end(worker: StepWorker): Promise<void> {
    all.delete(worker);
    await worker.end();
  }

  function keepWarm(): void {
    while (!closed && ready.length < warm) {
      const next = start();
      // Whoever takes it starts another one.
      next.catch(() => undefined);
      ready.push(next);
    }
  }

  function keepFor(organisationId: string, worker: StepWorker): void {
    if (closed || worker.jobs() >= jobsPerProcess) {
      endSoon(worker);
      return;
    }
    const reset = worker.reset().then(
      () => (kept.isReset = true),
      () => {
        drop(kept);
        return false;
      },
    );
    const kept: IdleWorker = { organisationId, worker, reset, isReset: false };
    kept.timer = setTimeout(() => drop(kept), idleMs).unref();
    idle.add(kept);
    const [oldest] = idle;
    if (oldest && idle.size > processes) drop(oldest);
  }

  function drop(kept: IdleWorker): void {
    clearTimeout(kept.timer);
    if (idle.delete(kept)) endSoon(kept.worker);
  }

  /** One that has just worked for the organisation, or one that has worked for nobody. */
  async function workerFor(organisationId: string, { chain }: StepJob): Promise<StepWorker> {
    for (let kept = lastIdleOf(organisationId, chain); kept; kept = lastIdleOf(organisationId, chain)) {
      idle.delete(kept);
      clearTimeout(kept.timer);
      if (await kept.reset) return kept.worker;
      endSoon(kept.worker);
    }
    return (await warmWorker()) ?? (await start());
  }

  /** One that waits for work, unless it did not start, or was killed meanwhile. */
  async function warmWorker(): Promise<StepWorker | undefined> {
    for (let next = ready.shift(); next; next = ready.shift()) {
      const worker = await next.catch(() => undefined);
      if (worker && !worker.hasEnded()) return worker;
      if (worker) endSoon(worker);
    }
    return undefined;
  }

  /** The last, so that those that are too many are not used, and end. */
  function lastIdleOf(organisationId: string, chain: StepJob['chain']): IdleWorker | undefined {
    const its = [...idle].filter((kept) => kept.organisationId === organisationId);
    const ofChain = chain && its.find(({ worker }) => worker.chain() === chain.id);
    // One whose engine waits for the next job of others is better left to them.
    const isFree = ({ isReset, worker }: IdleWorker): boolean => isReset && worker.chain() === undefined;
    return ofChain ?? its.findLast(isFree) ?? its.findLast(({ isReset }) => isReset) ?? its.at(-1);
  }

  async function runStep(organisationId: string, job: StepJob, run: StepRun): Promise<StepReport> {
    run.signal.throwIfAborted();
    const asked = performance.now();
    let report: StepReport | undefined;
    const tenant = await semaphore.acquire('tenants', organisationId, run.signal);
    let worker: StepWorker | undefined;
    try {
      if (closed) throw unavailable(new Error('the service stops'));
      worker = await workerFor(organisationId, job);
      run.signal.throwIfAborted();
      const limits = { ...job.limits, memoryBytes: Math.min(job.limits.memoryBytes, memoryBytes) };
      metrics?.began((performance.now() - asked) / 1000);
      working += 1;
      report = await worker.execute({ ...job, limits }, run).finally(() => (working -= 1));
      return report;
    } finally {
      metrics?.ended(report);
      if (worker && report?.outcome === 'SUCCEEDED') keepFor(organisationId, worker);
      else if (worker) endSoon(worker);
      semaphore.release(tenant);
      // The next one starts when this one has done its work: until then the machine is its.
      keepWarm();
    }
  }

  return {
    runStepFor: (organisationId) => (job, run) => runStep(organisationId, job, run),
    async close() {
      closed = true;
      for (const { timer } of idle) clearTimeout(timer);
      idle.clear();
      // Those that have begun to start are let start first.
      await Promise.race([Promise.allSettled(starting), delay(START_MS, undefined, { ref: false })]);
      await Promise.all([...[...all].map(end), ...ending]);
      await program;
    },
  };
}
