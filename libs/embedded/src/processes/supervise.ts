import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { SystemUser } from '../postgres/system-user.ts';
import { openChildLog } from './child-log.ts';
import { boundLog, rotateIfLarge } from './log-size.ts';
import { longStart, type LongStartOptions } from './long-start.ts';
import { setpriv, withCleanUp, withParentDeathSignal } from './parent-death.ts';
import { isAlive, isProcessWith } from './process-identity.ts';

/** How a child ended: by itself with a code, or by a signal. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface SupervisedProcess<Ready> {
  readonly pid: number;
  /** What the child said about itself when it became ready. */
  readonly ready: Ready;
  /** Settles when the child has ended, for whatever reason. */
  readonly exited: Promise<Exit>;
  /** Asks the child to stop and waits; after ten seconds it is killed. May be called again. */
  readonly stop: () => Promise<Exit>;
  /** Ends the child at once, as a crash would. For tests of recovery. */
  readonly kill: () => Promise<Exit>;
}

export interface Supervision<Ready> extends LongStartOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string | undefined;
  /** Runs the child as this user; only root may ask for it. */
  readonly user?: SystemUser | undefined;
  /**
   * The child appends its output straight to this file, so that it never depends on our reading it. A file that grows
   * large is put aside, also while the child runs.
   */
  readonly logFile: string;
  /** The signal by which this child stops cleanly. */
  readonly stopSignal: NodeJS.Signals;
  /** What the child receives when we die, even from `kill -9`. Defaults to the stop signal. */
  readonly orphanSignal?: NodeJS.Signals;
  /**
   * Reads one line of the child's own output and returns a value once the child has said that it is
   * ready. Only its own output counts: a port that answers may belong to an older process.
   */
  readonly ready: (line: string) => Ready | undefined;
  /** How long the child may take to stop before it is killed. */
  readonly stopTimeoutMs?: number | undefined;
  /** This folder is deleted when the child has ended, even if we are gone by then. */
  readonly removeAfterExit?: string | undefined;
  /** Whether the child keeps our event loop alive. Throwaway servers do not. */
  readonly keepsUsAlive?: boolean | undefined;
  /** Aborting gives up the start. */
  readonly signal?: AbortSignal | undefined;
}

const defaultStopTimeoutMs = 10_000;
const pollMs = 8;

/** A child that ended or stayed silent before it was ready. `output` is the end of what it wrote. */
export class StartFailure extends Error {
  readonly output: string;

  constructor(message: string, output: string) {
    super(message);
    this.name = 'StartFailure';
    this.output = output;
  }
}

/** What every child needs, however long it lives. */
type Launch = Omit<Supervision<unknown>, 'ready' | 'keepsUsAlive' | Exclude<keyof LongStartOptions, 'name'>>;

/**
 * Starts a child and waits until its own output proves that it is ready.
 *
 * The child leads a process group of its own, so Ctrl-C in a terminal reaches only us and we stop
 * children in order. Through `setpriv --pdeathsig` the kernel signals it when we die by any cause.
 * If it ends before it is ready, or gives no sign of getting there for too long, the error carries the last 4 kB of its output.
 */
export async function supervise<Ready>(options: Supervision<Ready>): Promise<SupervisedProcess<Ready>> {
  await rotateIfLarge(options.logFile);
  const { child, log, exited, hasEnded, end, failed } = launch(options);
  const start = longStart(options);
  try {
    for (;;) {
      const ended = hasEnded();
      for (const line of log.nextLines()) {
        const ready = options.ready(line);
        if (ready === undefined) start.hear(line);
        if (ready === undefined || ended) continue;
        if (options.keepsUsAlive === false) child.unref();
        const pid = child.pid ?? 0;
        // Not before: the ready line would have to be looked for in two files.
        const leaveLog = boundLog(options.logFile);
        void exited.then(leaveLog);
        return { pid, ready, exited, stop: () => end(options.stopSignal), kill: () => end('SIGKILL') };
      }
      if (ended) throw failed(ended, 'before it was ready');
      if (options.signal?.aborted) throw new StartFailure(`the start of ${options.name} was given up`, '');
      if (start.isOverdue()) throw failed(undefined, 'did not become ready in time');
      await delay(pollMs);
    }
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
}

/** Runs a child that does one thing and ends, guarded like one that stays. Rejects unless it ends with code 0. */
export async function runToEnd(options: Launch): Promise<void> {
  await rotateIfLarge(options.logFile);
  const { exited, end, failed } = launch(options);
  const giveUp = (): void => void end('SIGKILL');
  options.signal?.addEventListener('abort', giveUp, { once: true });
  if (options.signal?.aborted) giveUp();
  const exit = await exited;
  options.signal?.removeEventListener('abort', giveUp);
  if (options.signal?.aborted) throw new StartFailure(`${options.name} was given up`, '');
  if (exit.code !== 0) throw failed(exit, '');
}

function launch(options: Launch) {
  const log = openChildLog(options.logFile);
  const { command, args } = guarded(options);
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    detached: true,
    stdio: ['ignore', log.descriptor, log.descriptor],
    ...(setpriv() !== undefined || options.user === undefined ? {} : { uid: options.user.uid, gid: options.user.gid }),
  });
  closeSync(log.descriptor);

  let ended: Exit | undefined;
  let failure: Error | undefined;
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve((ended = { code, signal })));
    child.once('error', (error) => {
      failure = error;
      resolve((ended = { code: null, signal: null }));
    });
  });

  const end = async (signal: NodeJS.Signals): Promise<Exit> => {
    if (ended) return ended;
    if (signal === 'SIGKILL') killGroup(child.pid);
    else child.kill(signal);
    const limit = new AbortController();
    void delay(options.stopTimeoutMs ?? defaultStopTimeoutMs, undefined, { signal: limit.signal }).then(
      () => killGroup(child.pid),
      () => undefined,
    );
    const exit = await exited;
    limit.abort();
    return exit;
  };

  /** What went wrong, with the end of the child's output: how it ended, if it did, and what was expected. */
  const failed = (exit: Exit | undefined, what: string): StartFailure => {
    if (failure) return new StartFailure(`${options.name} could not be started: ${failure.message}`, '');
    const sentence = [options.name, exit && `ended ${describeExit(exit)}`, what].filter(Boolean).join(' ');
    const output = log.tail();
    return new StartFailure(`${sentence}${output === '' ? '' : `:\n${output}`}`, output);
  };
  return { child, log, exited, hasEnded: () => ended, end, failed };
}

/**
 * Ends a process that an earlier run left behind. It is touched only if its command line still holds
 * `partOfCommandLine`, since its id may belong to somebody else by now.
 */
export async function endOrphan(
  pid: number,
  partOfCommandLine: string,
  stopSignal: NodeJS.Signals,
  stopTimeoutMs = defaultStopTimeoutMs,
): Promise<boolean> {
  if (!isProcessWith(pid, partOfCommandLine)) return false;
  process.kill(pid, stopSignal);
  const killAt = Date.now() + stopTimeoutMs;
  let killed = false;
  while (isAlive(pid)) {
    if (!killed && Date.now() > killAt) {
      killGroup(pid);
      killed = true;
    }
    await delay(pollMs);
  }
  return true;
}

/** "with code 1" or "by SIGKILL". */
export function describeExit({ code, signal }: Exit): string {
  return signal === null ? `with code ${String(code)}` : `by ${signal}`;
}

function guarded(options: Launch): { command: string; args: string[] } {
  const orphanSignal = options.orphanSignal ?? options.stopSignal;
  const own = withParentDeathSignal(orphanSignal, options.user, [options.command, ...options.args]);
  const whole =
    options.removeAfterExit === undefined ? own : withCleanUp(options.removeAfterExit, options.stopSignal, own);
  const [command = options.command, ...args] = whole;
  return { command, args };
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended in this very moment.
  }
}
