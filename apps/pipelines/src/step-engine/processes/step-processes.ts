import { fairSemaphore, unavailable, type Logger } from '@platform-backend/core';
import type { Sandbox } from '@platform-backend/sandbox';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { failedReport, type RunStepFor, type StepJob, type StepReport, type StepRun } from '../domain/step-job.ts';
import type { StepMessage } from '../domain/step-messages.ts';
import { stepChannel, type StepChannel } from './step-channel.ts';
import { newStepFolder, type StepFolder } from './step-folder.ts';
import { startProgramIn, type StepProgram } from './step-program.ts';

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
  /** How many processes wait for work, so that a step begins at once. */
  readonly warm: number;
  /** The most that a job may allow its engine. */
  readonly memoryBytes: number;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface StepProcesses {
  readonly runStepFor: RunStepFor;
  readonly close: () => Promise<void>;
}

/** What is interrupted answers within a few milliseconds, or never. */
const GRACE_MS = 500;
const START_MS = 10_000;
/** Whoever waits for an answer gives up earlier; nothing that waits otherwise takes longer than the longest of its steps. */
const TIMEOUT_MS = 24 * 60 * 60_000;
/** Of one organisation, and of all; further ones are told at once to come back later. */
const [MAX_WAITING, MAX_WAITING_IN_ALL] = [100, 1_000];

interface Worker {
  readonly child: ChildProcess;
  readonly channel: StepChannel;
  readonly folder: StepFolder;
  /** The end of what it wrote to its standard error, to be told when it dies. */
  lastWords: string;
  tookTooMuchMemory: boolean;
}

/**
 * Steps in processes of their own, started before there is work and used once. A process has an empty environment and a
 * folder with hard links to the inputs, and in a sandbox sees nothing else; it is killed when it takes more time or memory
 * than its job allows.
 */
export function stepProcesses({
  sandbox,
  program,
  directory,
  processes,
  share = processes,
  warm,
  memoryBytes,
  logger,
}: StepProcessesOptions): StepProcesses {
  const all = new Set<Worker>();
  const ready: Promise<Worker>[] = [];
  const starting = new Set<Promise<Worker>>();
  const ending = new Set<Promise<void>>();
  const semaphore = fairSemaphore({
    ...{ slots: processes, share, timeoutMs: TIMEOUT_MS },
    ...{ maxWaiting: MAX_WAITING, maxWaitingInAll: MAX_WAITING_IN_ALL },
  });
  const startProgram = startProgramIn(sandbox, memoryBytes);
  let closed = false;

  function start(): Promise<Worker> {
    const worker = begin();
    starting.add(worker);
    const done = (): unknown => starting.delete(worker);
    worker.then(done, done);
    return worker;
  }

  async function begin(): Promise<Worker> {
    const started = await program;
    const folder = await newStepFolder(directory);
    // One that is killed in the moment of its start may outlive its sandbox: it is not started at all.
    if (closed) {
      await folder.remove();
      throw unavailable(new Error('the service stops'));
    }
    const child = startProgram(started, {
      writable: [folder.path],
      onTooMuchMemory: () => (worker.tookTooMuchMemory = true),
      output: 'pipe',
    });
    const worker: Worker = { child, channel: stepChannel(child), folder, lastWords: '', tookTooMuchMemory: false };
    all.add(worker);
    child.stdout?.resume();
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      worker.lastWords = (worker.lastWords + text).slice(-2000);
    });
    child.on('error', (error) =>
      logger.warn({ event: 'step_process.failed', err: error }, 'a process for steps failed'),
    );
    const said = Promise.withResolvers<unknown>();
    worker.channel.hear(said.resolve);
    child.once('exit', () => said.reject(new Error(`it ended before it was ready: ${worker.lastWords}`)));
    try {
      await said.promise;
      return worker;
    } catch (error) {
      await end(worker);
      throw error;
    }
  }

  /** Nobody waits for it but who closes. */
  function endSoon(worker: Worker): void {
    const ended: Promise<void> = end(worker)
      .catch((error: unknown) =>
        logger.warn({ event: 'step_folder.removal_failed', err: error }, 'a folder of a step could not be removed'),
      )
      .finally(() => ending.delete(ended));
    ending.add(ended);
  }

  async function end(worker: Worker): Promise<void> {
    all.delete(worker);
    if (worker.child.exitCode === null && worker.child.signalCode === null && worker.child.pid !== undefined) {
      const gone = once(worker.child, 'exit');
      worker.child.kill('SIGKILL');
      await gone;
    }
    // A program that was still being started knows nothing of that.
    worker.channel.close();
    await worker.folder.remove();
  }

  function keepWarm(): void {
    while (!closed && ready.length < warm) {
      const next = start();
      // Whoever takes it hears of it.
      next.catch(() => undefined);
      ready.push(next);
    }
  }

  async function runStep(organisationId: string, job: StepJob, run: StepRun): Promise<StepReport> {
    run.signal.throwIfAborted();
    const tenant = await semaphore.acquire('tenants', organisationId, run.signal);
    let worker: Worker | undefined;
    try {
      if (closed) throw unavailable(new Error('the service stops'));
      const next = ready.shift() ?? start();
      worker = await next;
      run.signal.throwIfAborted();
      const limits = { ...job.limits, memoryBytes: Math.min(job.limits.memoryBytes, memoryBytes) };
      const report = await executeInWorker(worker, await worker.folder.prepare({ ...job, limits }), run);
      // The next one starts when this one has done its work: until then the machine is its.
      keepWarm();
      if (report.output) await worker.folder.collect(job);
      return report;
    } finally {
      semaphore.release(tenant);
      keepWarm();
      if (worker) endSoon(worker);
    }
  }

  keepWarm();
  return {
    runStepFor: (organisationId) => (job, run) => runStep(organisationId, job, run),
    async close() {
      closed = true;
      // Those that have begun to start are let start first.
      await Promise.race([Promise.allSettled(starting), delay(START_MS, undefined, { ref: false })]);
      await Promise.all([...[...all].map(end), ...ending]);
      await program;
    },
  };
}

async function executeInWorker(
  worker: Worker,
  job: StepJob,
  { signal, onLog, onRan, findInputs }: StepRun,
): Promise<StepReport> {
  const { child, channel } = worker;
  const { promise, resolve, reject } = Promise.withResolvers<StepReport>();
  const started = performance.now();
  const ran = (): number => (performance.now() - started) / 1000;
  /** What is told of it where it cannot tell anything itself. */
  const resolveFor = (report: StepReport): void => resolve({ ...report, seconds: ran() });
  /** Why it was told to stop, if it was. */
  let stopped: StepReport | undefined;
  let grace: NodeJS.Timeout | undefined;
  const stop = (report: StepReport): void => {
    if (stopped) return;
    stopped = report;
    channel.say('cancel');
    grace = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
  };
  const heard = (message: StepMessage): void => {
    if (message === 'ready') return;
    if ('tables' in message) find(message.tables).catch(reject);
    else if ('log' in message) onLog(message.log);
    else if (stopped) resolveFor(stopped);
    else resolve(message.report);
  };
  const find = async (tables: readonly string[]): Promise<void> => {
    channel.say({ inputs: await worker.folder.bringInputs((await findInputs?.(tables)) ?? []) });
  };
  const died = (code: number | null, by: string | null): void => {
    const words = `the process of the step ended with ${by ?? String(code)}: ${worker.lastWords.trim()}`;
    resolveFor(stopped ?? (worker.tookTooMuchMemory ? tooMuchMemory(job) : lost(words)));
  };
  const aborted = (): void => {
    stop(lost('cancelled'));
    reject(signal.reason as Error);
  };
  const { seconds } = job.limits;
  const timer = setTimeout(() => stop(failedReport('timed_out', `It took longer than ${seconds} s`)), seconds * 1000);
  child.once('exit', died);
  channel.hear(heard);
  signal.addEventListener('abort', aborted);
  if (signal.aborted) aborted();
  if (child.exitCode !== null || child.signalCode !== null) died(child.exitCode, child.signalCode);
  try {
    channel.say({ job, folder: worker.folder.path, asks: findInputs !== undefined });
    return await promise;
  } finally {
    onRan?.(ran());
    clearTimeout(timer);
    clearTimeout(grace);
    signal.removeEventListener('abort', aborted);
    child.off('exit', died);
  }
}

const lost = (message: string): StepReport => ({ ...failedReport('lost', message), outcome: 'ERROR' });

const tooMuchMemory = ({ limits }: StepJob): StepReport =>
  failedReport('out_of_memory', `It needs more memory than ${Math.round(limits.memoryBytes / 2 ** 20)} MiB`);
