/** The execute requests that a kernel has not answered yet. It takes them one by one, so the time of the first runs. */
export interface Executions {
  readonly begin: (id: string, header: Uint8Array) => void;
  readonly end: (id: string) => void;
  readonly any: () => boolean;
  /** Resolves when the one that is being carried out is answered, or counts no more; at once where there is none. */
  readonly firstEnded: () => Promise<void>;
  /** The headers of all of them, the first is being carried out. */
  readonly all: () => readonly Uint8Array[];
  readonly clear: () => void;
  /** Resolves when another request may wait behind those that do. */
  readonly room: () => Promise<void>;
}

/** Most requests that wait in a kernel. */
const maxWaiting = 100;

/** `onTimeLimit` is told the header of a request that runs for too long, once. */
export function executions(seconds: number, onTimeLimit: (header: Uint8Array) => void): Executions {
  const waiting = new Map<string, Uint8Array>();
  let callers: (() => void)[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  let timer: NodeJS.Timeout | undefined;

  function timeFirst(): void {
    clearTimeout(timer);
    const [first] = waiting.values();
    if (first) timer = setTimeout(() => onTimeLimit(first), seconds * 1000);
  }

  function makeRoom(): void {
    const free = callers.splice(0, maxWaiting - waiting.size);
    for (const go of free) go();
  }

  return {
    begin(id, header) {
      waiting.set(id, header);
      if (waiting.size === 1) timeFirst();
    },
    end(id) {
      if (!waiting.delete(id)) return;
      ends.get(id)?.resolve();
      ends.delete(id);
      timeFirst();
      makeRoom();
    },
    any: () => waiting.size > 0,
    async firstEnded() {
      const [first] = waiting.keys();
      if (first === undefined) return;
      const end = ends.get(first) ?? Promise.withResolvers();
      ends.set(first, end);
      await end.promise;
    },
    all: () => [...waiting.values()],
    clear() {
      waiting.clear();
      for (const end of ends.values()) end.resolve();
      ends.clear();
      timeFirst();
      callers.forEach((go) => go());
      callers = [];
    },
    async room() {
      if (waiting.size >= maxWaiting) await new Promise<void>((resolve) => callers.push(resolve));
    },
  };
}
