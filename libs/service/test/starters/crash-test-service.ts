import type { ServiceKeys } from '@platform-backend/auth';
import type { DomainContract } from '@platform-backend/contract';
import { DomainError, serviceVariable, type ErrorKind } from '@platform-backend/core';
import { freePort } from '@platform-backend/embedded';
import { setTimeout as delay } from 'node:timers/promises';
import { callers, type Callers } from './callers.ts';
import { startService } from './service-process.ts';

interface CrashTestServiceOptions {
  readonly name: string;
  readonly contract: DomainContract;
  readonly env: Readonly<Record<string, string>>;
  readonly keys: ServiceKeys;
  /** Who calls it; the gateway unless given. */
  readonly as?: string;
  /** Of each life at most so many calls are answered: time says nothing about how far a service came. */
  readonly maxAnswers: number;
  /** When it was killed so often it lives, until it is killed by name; unless given, it never does. */
  readonly maxKills?: number;
}

/**
 * A service in a process that is killed again and again, each time when it has answered at most so many calls more. Its
 * address stays the same.
 */
export async function startCrashTestService({
  name,
  contract,
  env,
  keys,
  as = 'gateway',
  maxAnswers,
  maxKills = Infinity,
}: CrashTestServiceOptions) {
  const address = `127.0.0.1:${await freePort()}`;
  const start = () => startService(name, { ...env, [serviceVariable(name, 'LISTEN')]: address });
  const lifetime = () => 1 + Math.random() * maxAnswers;
  let running = await start();
  let [kills, answers, endsAt] = [0, 0, lifetime()];
  let restarted = Promise.resolve();
  let isUp: Promise<unknown> = restarted;
  const kill = async () => {
    await running.kill();
    kills += 1;
    const starting = start();
    isUp = starting.catch(() => undefined);
    running = await starting;
  };
  const count = (): void => {
    answers += 1;
    if (answers < endsAt) return;
    endsAt = Infinity;
    restarted = kill().then(() => {
      endsAt = kills < maxKills ? answers + lifetime() : Infinity;
    });
  };
  const calling: Callers = callers({ of: contract, address, as, keys });

  return {
    calling,
    /**
     * As clients do who heard nothing: again, until there is an answer; not all the while that it starts, for which they would
     * need more of the processor than it does. What a first try has done is done, of which `isDone` tells.
     */
    async untilAnswered<T>(
      call: () => Promise<T>,
      again: readonly ErrorKind[],
      isDone: (error: DomainError) => boolean = () => false,
    ): Promise<T | undefined> {
      for (;;) {
        try {
          const answer = await call();
          count();
          return answer;
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
          if (isDone(error)) return undefined;
          if (!again.includes(error.kind)) throw error;
          await Promise.all([isUp, delay(50)]);
        }
      }
    },
    kill,
    /** Lets it live from now on; answers how often it was killed. */
    async spare(): Promise<number> {
      endsAt = Infinity;
      await restarted;
      endsAt = Infinity;
      return kills;
    },
    async stop(): Promise<void> {
      calling.close();
      await running.kill();
    },
  };
}
