import { outsideOfCalls } from '@platform-backend/core';

/**
 * Work on one key at a time, all of what has come for it in the meantime together: alone it waits for nothing, and
 * under load one transaction carries many. At most `maxItems` are one batch. It is nobody's work, whoever came first:
 * there is no caller who may go away before the others are served.
 */
export function inBatches<Item>(
  work: (key: string, items: readonly Item[]) => Promise<void>,
  maxItems: number,
): (key: string, item: Item) => void {
  const waiting = new Map<string, Item[]>();

  async function runBatch(key: string): Promise<void> {
    for (;;) {
      const items = waiting.get(key)?.splice(0, maxItems) ?? [];
      if (items.length === 0) break;
      await work(key, items);
    }
    waiting.delete(key);
  }

  return (key, item) => {
    const others = waiting.get(key);
    if (others) {
      others.push(item);
      return;
    }
    waiting.set(key, [item]);
    void outsideOfCalls(() => runBatch(key));
  };
}
