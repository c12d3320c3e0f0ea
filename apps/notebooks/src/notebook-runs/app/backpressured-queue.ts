/** Things go from one side to the other in their order: whoever gives waits until they are taken. */
export interface BackpressuredQueue<Item> {
  /** Resolves when it is taken, or when nobody takes any more. */
  readonly give: (item: Item) => Promise<void>;
  /** Behind everything that was given. */
  readonly end: (error?: unknown) => void;
  /** To be read once. */
  readonly items: () => AsyncGenerator<Item>;
}

export function backpressuredQueue<Item>(): BackpressuredQueue<Item> {
  const waiting: { readonly item: Item; readonly taken: () => void }[] = [];
  let over: { readonly error?: unknown } | undefined;
  let wake = Promise.withResolvers<undefined>();
  let isRead = true;
  return {
    async give(item) {
      if (!isRead || over) return;
      await new Promise<void>((taken) => {
        waiting.push({ item, taken });
        wake.resolve(undefined);
      });
    },
    end(error) {
      over ??= error === undefined ? {} : { error };
      wake.resolve(undefined);
    },
    async *items() {
      try {
        for (;;) {
          const next = waiting.shift();
          if (next) {
            yield next.item;
            next.taken();
          } else if (over) {
            if ('error' in over) throw over.error;
            return;
          } else {
            await wake.promise;
            wake = Promise.withResolvers();
          }
        }
      } finally {
        isRead = false;
        for (const { taken } of waiting) taken();
      }
    },
  };
}
