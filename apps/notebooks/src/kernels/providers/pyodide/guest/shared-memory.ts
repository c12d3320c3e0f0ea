/** Memory that both threads of a guest see: the one that talks to the service, and the one that runs Python. */
export interface SharedMemory {
  /** Pyodide's own: 2 in it interrupts Python. */
  readonly interrupt: Uint8Array;
  /** One number each, at the places in `cells`. */
  readonly numbers: Int32Array;
  /** Output that was written and not yet taken. */
  readonly text: Uint8Array;
  /** The answer to `input()`. */
  readonly input: Uint8Array;
}

export const cells = {
  /** 1 while somebody reads or writes `text`. */
  lock: 0,
  textLength: 1,
  /** Which stream `text` is of: its place in `streams`. */
  textStream: 2,
  /** Bytes that Python's thread has posted and that have not left the guest yet. */
  posted: 3,
  /** 1 from when a request is told to run, 2 from when Python may be interrupted in it, 0 again behind it. */
  busy: 4,
  /** Of `input`: nothing yet (0), or there (1). */
  answered: 5,
  inputLength: 6,
  /** How many requests have ended that could be interrupted. */
  ended: 7,
} as const;

export const streams = ['stdout', 'stderr'] as const;
export type StreamName = (typeof streams)[number];

export const textRoom = 64 * 1024;
/** Python waits when more than this is on its way out. */
export const postedRoom = 2 ** 20;

export const sharedMemory = (): SharedMemory => ({
  interrupt: new Uint8Array(new SharedArrayBuffer(1)),
  numbers: new Int32Array(new SharedArrayBuffer(4 * Object.keys(cells).length)),
  text: new Uint8Array(new SharedArrayBuffer(textRoom)),
  input: new Uint8Array(new SharedArrayBuffer(64 * 1024)),
});

/**
 * What Pyodide takes signals from: it reads the number and then writes a zero, which would wipe out an interrupt that came
 * in between, one of some forty. Here the zero takes the place of what was read, and of nothing else.
 */
export function signalsOf({ interrupt }: Pick<SharedMemory, 'interrupt'>): Uint8Array {
  let read = 0;
  const guarded = {
    get 0() {
      return (read = Atomics.load(interrupt, 0));
    },
    set 0(value) {
      Atomics.compareExchange(interrupt, 0, read, value);
    },
  };
  return guarded as unknown as Uint8Array;
}

/** Says it to whoever waits for the end of what runs. */
export function setBusy({ numbers }: Pick<SharedMemory, 'numbers'>, busy: 0 | 1 | 2): void {
  if (busy === 0) Atomics.add(numbers, cells.ended, 1);
  Atomics.store(numbers, cells.busy, busy);
  Atomics.notify(numbers, cells.busy);
}

/** For the few microseconds that a copy takes. */
export function locked<T>({ numbers }: SharedMemory, work: () => T): T {
  while (Atomics.compareExchange(numbers, cells.lock, 0, 1) !== 0) Atomics.wait(numbers, cells.lock, 1, 1);
  try {
    return work();
  } finally {
    Atomics.store(numbers, cells.lock, 0);
    Atomics.notify(numbers, cells.lock);
  }
}

/** Takes what was written: a copy, and of which stream. */
export function takeText({ numbers, text }: SharedMemory): { stream: StreamName; bytes: Uint8Array } | undefined {
  const length = numbers[cells.textLength] ?? 0;
  if (length === 0) return undefined;
  const bytes = text.slice(0, length);
  numbers[cells.textLength] = 0;
  return { stream: streams[numbers[cells.textStream] ?? 0] ?? 'stdout', bytes };
}

/** What Python's thread tells the other one, in order. */
export type FromPython =
  | { readonly kind: 'ready' }
  /** There is text in the memory, after there was none. */
  | { readonly kind: 'written' }
  | { readonly kind: 'text'; readonly stream: StreamName; readonly bytes: Uint8Array }
  /** What is said from now on answers the request with this header; empty: none. */
  | { readonly kind: 'answering'; readonly parent: Uint8Array }
  /** What a cell has written: a message like others, and no output. */
  | { readonly kind: 'file'; readonly frame: Uint8Array }
  /** One message, as a frame. */
  | { readonly kind: 'message'; readonly frame: Uint8Array };
