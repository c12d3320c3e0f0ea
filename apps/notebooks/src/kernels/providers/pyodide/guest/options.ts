/** What a guest is told on its command line, as JSON. */
export interface GuestOptions {
  readonly session: string;
  /** Of the WebAssembly memory alone, in which all of Python's objects are. */
  readonly pythonBytes: number;
  readonly outputBytes: number;
  /** A folder with Pyodide's own packages and their lock file. */
  readonly packages?: string;
  /** A file with the memory of a Python that has started; without it, it starts from nothing. */
  readonly snapshot?: string;
}

/** Of Python, as a snapshot keeps it. */
export const environment = { HOME: '/home/pyodide' };

/** Of the system, where it has them; Python in WebAssembly brings none. */
export const TIME_ZONES = '/usr/share/zoneinfo';

/** Descriptors of the guest's pipes: messages both ways, and interrupts with the word when they are done. */
export const descriptors = { messages: 4, interrupts: 5 } as const;
export const words = { interrupt: 0x69, stopped: 0x73, ready: 0x72 } as const;
