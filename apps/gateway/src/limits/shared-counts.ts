/** What this gateway has let through of each credential and network since it last told the others. */
export interface Counts {
  readonly credentials: Readonly<Record<string, number>>;
  readonly networks: Readonly<Record<string, number>>;
}

export type CountedKind = keyof Counts;

export interface SharedCountsOptions {
  /** Tells the other gateways; what they do not hear is lost, and each counts by itself. */
  readonly send: (counts: Counts) => void;
  /** Called with what another gateway has let through. */
  readonly onCount: (kind: CountedKind, name: string, requests: number) => void;
}

export interface SharedCounts {
  readonly count: (kind: CountedKind, name: string, requests: number) => void;
  /** What another gateway sent. Whatever is no count is passed over. */
  readonly receive: (message: unknown) => void;
  /** Tells what is not told yet. */
  readonly flush: () => void;
}

/** How long requests are added up before the others are told: by so much they may be behind. */
export const TELL_AFTER_MS = 100;
/** Names in one message, about 50 bytes each: far below the 1 MiB that NATS takes. */
const MAX_NAMES = 5_000;

const none = () => ({ credentials: new Map<string, number>(), networks: new Map<string, number>() });

/**
 * Adds up what passes and tells the other gateways a few times a second, in one message however many requests there were. A gateway
 * where nothing passes tells nothing.
 */
export function sharedCounts({ send, onCount }: SharedCountsOptions): SharedCounts {
  let pending = none();
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const { credentials, networks } = pending;
    if (credentials.size + networks.size === 0) return;
    pending = none();
    send({ credentials: Object.fromEntries(credentials), networks: Object.fromEntries(networks) });
  };

  return {
    count(kind, name, requests) {
      const counted = pending[kind];
      counted.set(name, (counted.get(name) ?? 0) + requests);
      if (counted.size >= MAX_NAMES) flush();
      else timer ??= setTimeout(flush, TELL_AFTER_MS).unref();
    },
    receive(message) {
      for (const kind of ['credentials', 'networks'] as const) {
        for (const [name, requests] of entriesOf(message, kind)) {
          if (typeof requests === 'number' && requests > 0 && Number.isFinite(requests)) onCount(kind, name, requests);
        }
      }
    },
    flush,
  };
}

function entriesOf(message: unknown, kind: CountedKind): [string, unknown][] {
  if (typeof message !== 'object' || message === null) return [];
  const counts = (message as Partial<Record<CountedKind, unknown>>)[kind];
  return typeof counts === 'object' && counts !== null ? Object.entries(counts) : [];
}
