import type { Logger } from '@platform-backend/core';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { SPILL_BYTES } from '../domain/limits.ts';
import { failedReport, type StepJob, type StepReport, type StepRun } from '../domain/step-job.ts';
import { folderNames, type StepMessage } from '../domain/step-messages.ts';
import { stepChannel } from './step-channel.ts';
import { newStepFolder } from './step-folder.ts';
import type { StartProgram, StepProgram } from './step-program.ts';

export interface StepWorkerOptions {
  readonly program: StepProgram;
  readonly startProgram: StartProgram;
  /** Whether the program finds its folder where that is mounted. */
  readonly hasOwnPaths: boolean;
  /** Where its folder is made. */
  readonly directory: string;
  readonly logger: Pick<Logger, 'warn'>;
}

/** A process of the step program with its folder. It does one job at a time. */
export interface StepWorker {
  /** Rejected where it has ended before it could have a job. */
  readonly started: Promise<void>;
  /** Jobs that it has done, or that it does. */
  readonly jobs: () => number;
  /** The chain whose next job its engine may do. */
  readonly chain: () => string | undefined;
  /** Puts the output where the job wants it. */
  readonly execute: (job: StepJob, run: StepRun) => Promise<StepReport>;
  /**
   * Makes it ready for another job of the same organisation. Rejected where anything is left of the one before, or the process
   * has ended, or does not answer: whatever it is, it may not have another one.
   */
  readonly reset: () => Promise<void>;
  /** The process is no more. */
  readonly hasEnded: () => boolean;
  /** When the process ends by itself. */
  readonly onExit: (listener: () => void) => void;
  /** The process and all that it has left. */
  readonly end: () => Promise<void>;
}

/** Queries can read the paths in the settings of their engine, which tell nothing of this machine therefore. */
const GUEST_FOLDER = '/step';

/** What is interrupted answers within a few milliseconds, or never. */
const GRACE_MS = 500;
/** To forget a job takes some milliseconds, and more where it has left many files. */
const RESET_MS = 5_000;
/** The engine holds itself to its limits; this is for what has taken its process over. */
const WATCH_DISK_MS = 1_000;

export async function startStepWorker({
  program,
  startProgram,
  hasOwnPaths,
  directory,
  logger,
}: StepWorkerOptions): Promise<StepWorker> {
  const folder = await newStepFolder(directory);
  const guestFolder = hasOwnPaths ? GUEST_FOLDER : folder.path;
  /** The end of what it wrote to its standard error, to be told when it dies. */
  let lastWords = '';
  let tookTooMuchMemory = false;
  let jobs = 0;
  let chain: string | undefined;
  const child = startProgram(program, {
    readable: [{ path: folder.inputs, as: join(guestFolder, folderNames.inputs) }],
    writable: [{ path: folder.work, as: join(guestFolder, folderNames.work) }],
    onTooMuchMemory: () => (tookTooMuchMemory = true),
    output: 'pipe',
  });
  const channel = stepChannel(child);
  child.stdout?.resume();
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (lastWords = (lastWords + text).slice(-2000)));
  child.on('error', (error) => logger.warn({ event: 'step_process.failed', err: error }, 'a process for steps failed'));

  async function end(): Promise<void> {
    if (!hasEnded(child) && child.pid !== undefined) {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    }
    // A program that was still being started knows nothing of that.
    channel.close();
    await folder.remove();
  }

  /** The next that it says, which has to be that. */
  async function ready(timeoutMs?: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<StepMessage>();
    const died = (): void => reject(new Error(`it ended before it was ready: ${lastWords}`));
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => reject(new Error(`it was not ready within ${timeoutMs} ms`)), timeoutMs);
    channel.hear(resolve);
    child.once('exit', died);
    if (hasEnded(child)) died();
    try {
      if ((await promise) !== 'ready') throw new Error('it speaks of a job that is over');
    } finally {
      clearTimeout(timer);
      child.off('exit', died);
    }
  }

  async function execute(job: StepJob, run: StepRun): Promise<StepReport> {
    jobs += 1;
    chain = job.chain?.goesOn ? job.chain.id : undefined;
    const report = await converse(await folder.prepare(job, jobs), run);
    if (report.output) await folder.collect(job, jobs);
    return report;
  }

  async function converse(job: StepJob, { signal, onLog, onRan, findInputs }: StepRun): Promise<StepReport> {
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
      channel.say({ inputs: await folder.bringInputs((await findInputs?.(tables)) ?? [], jobs) });
    };
    const died = (code: number | null, by: string | null): void => {
      const words = `the process of the step ended with ${by ?? String(code)}: ${lastWords.trim()}`;
      resolveFor(stopped ?? (tookTooMuchMemory ? tooMuchMemory(job) : lost(words)));
    };
    const aborted = (): void => {
      stop(lost('cancelled'));
      reject(signal.reason as Error);
    };
    const { seconds, outputBytes } = job.limits;
    const maxBytes = outputBytes + SPILL_BYTES;
    const tooLarge = failedReport('too_large', `It writes more than ${maxBytes} bytes`);
    const watchDisk = setInterval(() => {
      const look = async () => {
        if ((await folder.writtenBytes()) > maxBytes) stop(tooLarge);
      };
      // A folder that it has taken away is looked at when it is done.
      void look().catch(() => undefined);
    }, WATCH_DISK_MS).unref();
    const timer = setTimeout(() => stop(failedReport('timed_out', `It took longer than ${seconds} s`)), seconds * 1000);
    child.once('exit', died);
    channel.hear(heard);
    signal.addEventListener('abort', aborted);
    if (signal.aborted) aborted();
    if (hasEnded(child)) died(child.exitCode, child.signalCode);
    try {
      channel.say({ job, number: jobs, folder: guestFolder, asks: findInputs !== undefined });
      return await promise;
    } finally {
      onRan?.(ran());
      clearInterval(watchDisk);
      clearTimeout(timer);
      clearTimeout(grace);
      signal.removeEventListener('abort', aborted);
      child.off('exit', died);
    }
  }

  async function reset(): Promise<void> {
    await folder.removeInputs();
    const answered = ready(RESET_MS);
    channel.say('reset');
    await answered;
    if (!(await folder.isEmpty())) throw new Error('something is left of the job before');
  }

  return {
    started: ready(),
    jobs: () => jobs,
    chain: () => chain,
    execute,
    reset: () =>
      reset().catch((error: unknown) => {
        // One that holds too much memory has ended by itself.
        if (!hasEnded(child))
          logger.warn(
            { event: 'step_process.not_reset', err: error },
            'a process for steps could not have another job',
          );
        throw error;
      }),
    hasEnded: () => hasEnded(child),
    onExit: (listener) => void child.once('exit', listener),
    end,
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

const lost = (message: string): StepReport => ({ ...failedReport('lost', message), outcome: 'ERROR' });

const tooMuchMemory = ({ limits }: StepJob): StepReport =>
  failedReport('out_of_memory', `It needs more memory than ${Math.round(limits.memoryBytes / 2 ** 20)} MiB`);
