import { describeExit, type SupervisedProcess } from '@platform-backend/embedded';
import { setTimeout as delay } from 'node:timers/promises';
import { failureSentence } from './failure-sentence.ts';
import { seconds } from './progress.ts';

/** A child that is started again when it ends without being asked to. */
export interface SupervisedService<Ready> {
  /** What the child said when it first became ready. */
  readonly ready: Ready;
  readonly pid: () => number | undefined;
  /** Ends the child for good; waits for an attempt that is under way. */
  readonly stop: () => Promise<void>;
  /** Stops the child and starts it anew, as after a change of its source. */
  readonly restart: () => Promise<void>;
}

export type Startable<Ready> = Pick<SupervisedProcess<Ready>, 'pid' | 'ready' | 'exited' | 'stop'>;

export interface Supervision<Ready> {
  readonly name: string;
  /** Must bind the same address every time; gives up when the signal aborts. */
  readonly start: (signal: AbortSignal) => Promise<Startable<Ready>>;
  /** Aborts when everything stops; then nothing is started again. */
  readonly signal: AbortSignal;
  readonly logFile: string;
  readonly say: (text: string) => void;
  /** The first pause; it doubles with each failure up to `maxPauseMs`. */
  readonly firstPauseMs?: number;
}

const maxPauseMs = 15_000;
/** A child that ran this long before it ended starts again after the first pause. */
const steadyMs = 60_000;

/** Starts a child; rejects if that first start fails. Afterwards it is kept running until `stop`. */
export async function keepRunning<Ready>(keeping: Supervision<Ready>): Promise<SupervisedService<Ready>> {
  const { name, start, logFile, say, firstPauseMs = 500 } = keeping;
  const stopping = new AbortController();
  const over = AbortSignal.any([keeping.signal, stopping.signal]);
  const isOver = (): boolean => over.aborted;
  let current: Startable<Ready> | undefined = await start(over);
  const { ready } = current;
  let startedAt = performance.now();
  let pauseMs = firstPauseMs;
  /** Set by `restart`: the child ended because it was asked to, and the pause, if there is one, is cut short. */
  let wanted = new AbortController();

  const pauseAfter = async (what: string): Promise<void> => {
    if (wanted.signal.aborted) return;
    if (performance.now() - startedAt > steadyMs) pauseMs = firstPauseMs;
    say(`${name} ${what}; starting it again in ${seconds(pauseMs)} (log: ${logFile})`);
    await delay(pauseMs, undefined, { signal: AbortSignal.any([over, wanted.signal]) }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, maxPauseMs);
  };

  const startAgain = async (): Promise<Startable<Ready> | undefined> => {
    const expected = wanted.signal.aborted;
    wanted = new AbortController();
    const beganAt = performance.now();
    try {
      const child = await start(over);
      startedAt = performance.now();
      say(`${name} is ${expected ? 'restarted' : 'running again'} (${seconds(startedAt - beganAt)})`);
      return child;
    } catch (error) {
      startedAt = performance.now();
      if (!isOver()) await pauseAfter(`did not start (${failureSentence(error)})`);
      return undefined;
    }
  };

  const live = async (): Promise<void> => {
    while (!isOver()) {
      if (current) {
        const exit = await current.exited;
        current = undefined;
        if (!isOver()) await pauseAfter(`ended ${describeExit(exit)}`);
      } else {
        current = await startAgain();
      }
    }
    await current?.stop();
  };

  const life = live();
  return {
    ready,
    pid: () => current?.pid,
    async stop() {
      stopping.abort();
      await current?.stop();
      await life;
    },
    async restart() {
      wanted.abort();
      await current?.stop();
    },
  };
}
