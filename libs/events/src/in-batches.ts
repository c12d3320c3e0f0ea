import { isUnavailable, outsideOfCalls } from '@platform-backend/core';
import { AsyncLocalStorage } from 'node:async_hooks';

/** Runs work as what it comes of: with the request and the trace of that, or of nobody. */
type Within = <T>(work: () => T) => T;

interface Waiting<Item> {
  readonly item: Item;
  readonly within: Within;
  readonly done: () => void;
  readonly failed: (reason: unknown) => void;
}

interface Batching<Item> {
  /** Handles all of them or, where it fails, none. */
  readonly handle: (items: readonly Item[]) => Promise<void>;
  readonly maxSize: number;
}

/**
 * Handles what comes while a batch is being handled as the next one: nothing waits for others to come, and the more
 * there is to do, the larger the batches. Each item resolves when it is handled. One that cannot be handled does not take
 * others with it: what was in a batch that failed is handled one by one, unless something is away that all of them need.
 * What is handled alone comes of the same request as the item; several of them come of none.
 */
export function inBatches<Item>({ handle, maxSize }: Batching<Item>): (item: Item) => Promise<void> {
  const waiting: Waiting<Item>[] = [];
  let isHandling = false;

  async function handleAll(): Promise<void> {
    isHandling = true;
    while (waiting.length > 0) await settle(waiting.splice(0, maxSize));
    isHandling = false;
  }

  async function settle(batch: readonly Waiting<Item>[]): Promise<void> {
    try {
      const [first] = batch;
      const within = batch.length === 1 && first ? first.within : outsideOfCalls;
      await within(() => handle(batch.map(({ item }) => item)));
      for (const { done } of batch) done();
    } catch (error) {
      if (batch.length > 1 && !isUnavailable(error)) for (const one of batch) await settle([one]);
      else for (const { failed } of batch) failed(error);
    }
  }

  return (item) =>
    new Promise((done, failed) => {
      waiting.push({ item, within: AsyncLocalStorage.snapshot(), done, failed });
      if (!isHandling) void handleAll();
    });
}
