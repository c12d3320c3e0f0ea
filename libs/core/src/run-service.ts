import { setTimeout as delay } from 'node:timers/promises';
import { ConfigurationError } from './configuration.ts';
import type { Logger } from './logger.ts';
import { watchOpenFiles } from './open-files.ts';

/** Stops what `start` started; resolves when nothing is in flight any more. */
export type Stop = () => Promise<void>;

export interface StartedService {
  stop: Stop;
  /** Facts for the ready line, such as the bound `address`. */
  ready?: Record<string, unknown>;
  /** Stands for the one in the options, where only the configuration tells it. */
  drainLimitMs?: number;
}

export interface ServiceOptions {
  /** As it stands in sentences: "identity could not start: ...". */
  name: string;
  logger: Logger;
  /** Reads the configuration, builds and listens. What it throws ends the process with one sentence. */
  start: () => Promise<Stop | StartedService>;
  /** Work in flight gets this many milliseconds after a signal; then the process ends anyway. */
  drainLimitMs?: number;
  /**
   * What a rejected promise does that nobody handles. `end`, unless given, treats it like any other
   * unforeseen throw; `log` suits a process where one bad request must not cost all others.
   */
  unhandledRejections?: 'end' | 'log';
}

/** How long an end waits for work that Node cannot take back, in milliseconds. */
const THREADS_TIMEOUT_MS = 1_000;
const THREADS_PAUSE_MS = 20;

/**
 * Runs a service for the life of its process: starts it, logs one line with `"ready": true`, drains
 * on SIGTERM and SIGINT, and ends with code 1 after one clear sentence when anything goes wrong. A
 * second signal ends it at once.
 */
export async function runService(options: ServiceOptions): Promise<void> {
  const { name, logger, start, unhandledRejections = 'end' } = options;
  let { drainLimitMs = 10_000 } = options;
  let stop: Stop | undefined;
  let ending = false;
  let code = 0;

  const end = async (): Promise<void> => {
    ending = true;
    const limit = setTimeout(() => {
      logger.error({ event: 'service.drain_timeout' }, `${name} did not drain within ${drainLimitMs} ms and was ended`);
      void exitWith(1);
    }, drainLimitMs);
    try {
      await stop?.();
      logger.info(`${name} stopped`);
    } catch (error) {
      logger.error({ event: 'service.stop_failed', err: error }, `${name} did not stop cleanly`);
      code = 1;
    }
    clearTimeout(limit);
    await exitWith(code);
  };

  /** Node waits for its threads before it ends, and a thread may wait for ever: for a share that is gone, for a name. */
  const exitWith = async (worst: number): Promise<void> => {
    code = worst;
    const giveUpAt = Date.now() + THREADS_TIMEOUT_MS;
    while (workOfThreads().length > 0 && Date.now() < giveUpAt) await delay(THREADS_PAUSE_MS);
    const stuck = workOfThreads();
    if (stuck.length === 0) process.exit(code);
    logger.error({ event: 'service.forced_end', stuck }, `${name} ends by force, for the system does not answer it`);
    process.kill(process.pid, 'SIGKILL');
  };

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (ending) return void exitWith(1);
      logger.info(`${name} received ${signal} and drains`);
      void end();
    });
  }
  // The state after an unforeseen throw is unknown: say so once, let work in flight finish, and end.
  const endAfter = (error: unknown): void => {
    logger.fatal({ event: 'service.crashed', err: error }, `${name} ends after an unexpected failure`);
    // One more of them must not take the time from work in flight.
    code = 1;
    if (!ending) void end();
  };
  process.on('uncaughtException', (error) => {
    if (isRefusedConnection(error))
      logger.error({ event: 'connection.refused', err: error }, 'a connection could not be taken');
    else endAfter(error);
  });
  process.on('unhandledRejection', (error) => {
    if (unhandledRejections === 'end') endAfter(error);
    else logger.error({ event: 'promise.unhandled_rejection', err: error }, 'a rejected promise was not handled');
  });

  watchOpenFiles(logger);
  try {
    const started = await start();
    const { ready = {}, ...life }: StartedService = typeof started === 'function' ? { stop: started } : started;
    ({ stop, drainLimitMs = drainLimitMs } = life);
    // A signal may have come while we were starting; `end` found nothing to stop then and has exited.
    logger.info({ ready: true, ...ready }, `${name} ready`);
  } catch (error) {
    logger.fatal(
      { event: 'service.start_failed', ...describeFailure(error) },
      `${name} could not start: ${sentence(error)}`,
    );
    await exitWith(1);
  }
}

/** A wrong configuration explains itself; anything else needs its stack. */
const describeFailure = (error: unknown): Record<string, unknown> =>
  error instanceof ConfigurationError ? { problems: error.problems } : { err: error };

/** Servers report it without anybody listening when the process may open no more files; those it has go on. */
const isRefusedConnection = (error: NodeJS.ErrnoException): boolean => error.syscall === 'accept';

/** File access and look-ups of names under way: Node does them in threads, and cannot take them back. */
const workOfThreads = (): string[] =>
  process.getActiveResourcesInfo().filter((resource) => /^(?:FSReq|Get(?:Addr|Name)Info)/.test(resource));

const sentence = (error: unknown): string => (error instanceof Error ? error.message : String(error));
