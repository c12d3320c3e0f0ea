import { AsyncLocalStorage } from 'node:async_hooks';

/** What has to hold in the transaction of a change, or it is not made. */
export interface Precondition {
  /**
   * Reads, as part of the transaction that it is called in, and throws where it does not hold. The transaction has to fail
   * when what was read has changed by the time it is committed.
   */
  readonly judge: () => Promise<void>;
  /** A transaction that it was judged in has changed something: what follows in this call is no longer asked. */
  readonly settle: () => void;
}

interface Pending {
  readonly judge: () => Promise<void>;
  isSettled: boolean;
}

const conditions = new AsyncLocalStorage<Pending | undefined>();

/** Runs work whose first change is made only where `judge` does not throw. */
export const withPrecondition = <T>(judge: () => Promise<void>, work: () => Promise<T>): Promise<T> => {
  const pending: Pending = { judge, isSettled: false };
  return conditions.run(pending, async () => {
    try {
      return await work();
    } finally {
      // What it has set going goes on for itself.
      pending.isSettled = true;
    }
  });
};

/** Runs work that is no part of the change, whose condition stays to be judged by what comes after it. */
export const withoutPrecondition = <T>(work: () => T): T => conditions.run(undefined, work);

/** What the next transaction that may change something has to judge first; nothing where there is no condition, or no longer. */
export function pendingPrecondition(): Precondition | undefined {
  const pending = conditions.getStore();
  if (!pending || pending.isSettled) return undefined;
  return {
    // What it reads is not itself asked.
    judge: () => withoutPrecondition(pending.judge),
    settle: () => void (pending.isSettled = true),
  };
}
