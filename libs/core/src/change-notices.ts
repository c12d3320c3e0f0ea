/** Tells one reader that something may have changed since it was looked at. */
export interface ChangeNotice {
  /** Resolves with the next notice, at once if there was one since the last time; also when the signal is aborted. */
  readonly next: (signal: AbortSignal) => Promise<void>;
  /** From now on nothing is noticed for it. */
  readonly end: () => void;
}

/** Who hears that things have changed, by their names. */
export interface ChangeNotices {
  /** Notices are kept from now on: whoever looks afterwards misses no change. */
  readonly of: (things: readonly string[]) => ChangeNotice;
  /** This thing may have changed. Whoever follows others is left in peace. */
  readonly changed: (thing: string) => void;
  /** Everything may have changed: notices may have been lost. */
  readonly allChanged: () => void;
}

/** However many changes come between two looks of a reader, they are one notice: nothing piles up. */
export function changeNotices(): ChangeNotices {
  const readers = new Map<string, Set<() => void>>();
  return {
    of(things) {
      let isChanged = false;
      let wake: (() => void) | undefined;
      const hear = (): void => {
        isChanged = true;
        wake?.();
      };
      for (const thing of things) {
        const ofThing = readers.get(thing) ?? new Set();
        readers.set(thing, ofThing.add(hear));
      }
      return {
        async next(signal) {
          if (!isChanged && !signal.aborted) {
            const { promise, resolve } = Promise.withResolvers<undefined>();
            wake = () => resolve(undefined);
            signal.addEventListener('abort', wake, { once: true });
            await promise;
            signal.removeEventListener('abort', wake);
            wake = undefined;
          }
          isChanged = false;
        },
        end() {
          for (const thing of things) {
            const ofThing = readers.get(thing);
            ofThing?.delete(hear);
            if (ofThing?.size === 0) readers.delete(thing);
          }
        },
      };
    },
    changed: (thing) => readers.get(thing)?.forEach((hear) => hear()),
    allChanged: () => readers.forEach((ofThing) => ofThing.forEach((hear) => hear())),
  };
}
