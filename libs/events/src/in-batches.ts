import { isUnavailable } from '@platform-backend/core';

interface Waiting<Item> {
  readonly item: Item;
  readonly done: () => void;
  readonly failed: (reason: unknown) => void;
}

interface Batching<Item> {
  /** Only what has the same one is handled together, and one batch of it after the other. */
  readonly keyOf: (item: Item) => string;
  /** Handles all of them or, where it fails, none. */
  readonly handle: (items: readonly Item[]) => Promise<void>;
  readonly maxSize: number;
}

/**
 * Handles what comes while a batch of its key is being handled as the next one: nothing waits for others to come, and the more
 * there is to do, the larger the batches. Each item resolves when it is handled. One that cannot be handled does not take
 * others with it: what was in a batch that failed is handled one by one, unless something is away that all of them need.
 */
export function inBatches<Item>({ keyOf, handle, maxSize }: Batching<Item>): (item: Item) => Promise<void> {
  const waiting = new Map<string, Waiting<Item>[]>();

  async function handleAll(key: string, queue: Waiting<Item>[]): Promise<void> {
    while (queue.length > 0) await settle(queue.splice(0, maxSize));
    waiting.delete(key);
  }

  async function settle(batch: readonly Waiting<Item>[]): Promise<void> {
    try {
      await handle(batch.map(({ item }) => item));
      for (const { done } of batch) done();
    } catch (error) {
      if (batch.length > 1 && !isUnavailable(error)) for (const one of batch) await settle([one]);
      else for (const { failed } of batch) failed(error);
    }
  }

  return (item) =>
    new Promise((done, failed) => {
      const key = keyOf(item);
      const queue = waiting.get(key);
      if (queue) {
        queue.push({ item, done, failed });
        return;
      }
      const begun = [{ item, done, failed }];
      waiting.set(key, begun);
      void handleAll(key, begun);
    });
}
