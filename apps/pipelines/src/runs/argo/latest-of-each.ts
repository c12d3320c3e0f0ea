/**
 * Work on the latest item of each key: on one at a time for a key, and on so many for all. What is overtaken while it
 * waits is left out.
 */
export function latestOfEach<Item>(atOnce: number, work: (item: Item) => Promise<void>) {
  const waiting = new Map<string, Item>();
  const going = new Map<string, Promise<void>>();

  function next(): void {
    for (const [key, item] of waiting) {
      if (going.size >= atOnce) return;
      if (going.has(key)) continue;
      waiting.delete(key);
      const done = work(item).finally(() => {
        going.delete(key);
        next();
      });
      going.set(key, done);
    }
  }

  return {
    /** `work` never rejects. */
    put(key: string, item: Item): void {
      waiting.set(key, item);
      next();
    },
    /** Nothing is begun any more; resolves when all that goes on has ended. */
    async end(): Promise<void> {
      waiting.clear();
      await Promise.all(going.values());
    },
  };
}
