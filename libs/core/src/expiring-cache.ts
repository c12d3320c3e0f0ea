import { systemClock, type Clock } from './clock.ts';

export interface ExpiringCache<V> {
  get(key: string): V | undefined;
  /** Keeps `value` until `expiresAt` (milliseconds since 1970), or until the room is needed. */
  set(key: string, value: V, expiresAt: number): void;
  delete(key: string): void;
  clear(): void;
  readonly size: number;
}

/** Milliseconds. Looking through all entries takes less than a thousandth of it. */
const SWEEP_EVERY_MS = 1_000;

/**
 * A bounded map whose entries also expire. When full, the entry unused for longest goes first, so no
 * flood of keys can grow memory. What has expired gives its room back with the next entry.
 */
export function expiringCache<V>({
  maxEntries,
  clock = systemClock,
}: {
  maxEntries: number;
  clock?: Clock;
}): ExpiringCache<V> {
  // A Map iterates in order of insertion, so the first key is always the one unused for longest.
  const entries = new Map<string, { value: V; expiresAt: number }>();
  let nextSweep = 0;

  const sweep = (now: number): void => {
    if (now < nextSweep) return;
    nextSweep = now + SWEEP_EVERY_MS;
    for (const [key, { expiresAt }] of entries) if (expiresAt <= now) entries.delete(key);
  };

  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      if (entry.expiresAt <= clock.now().getTime()) return undefined;
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, expiresAt) {
      sweep(clock.now().getTime());
      entries.delete(key);
      if (entries.size >= maxEntries) {
        const [oldest] = entries.keys();
        if (oldest !== undefined) entries.delete(oldest);
      }
      entries.set(key, { value, expiresAt });
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
    get size() {
      return entries.size;
    },
  };
}
