import type { ChildProcess, SerializationType } from 'node:child_process';

/** A file or folder, which the guest of a sandbox that has paths of its own finds at another one. */
export interface Mount {
  readonly path: string;
  readonly as: string;
}

/** What a guest may see and use. It has nothing else: no environment, no network, no process of others. */
export interface GuestOptions {
  readonly args?: readonly string[];
  /** For Node itself, in front of the module; `fork` alone has it. */
  readonly execArgv?: readonly string[];
  /** Files and folders that it may read, at the same paths as here unless said. What does not exist is an error of the start. */
  readonly readable?: readonly (string | Mount)[];
  /** Files and folders that it may change as well. */
  readonly writable?: readonly (string | Mount)[];
  /** Its whole environment; empty unless given. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
  /** Room in a /tmp of its own, in memory; without it there is none. */
  readonly temporaryBytes?: number;
  /** Room in a /dev/shm of its own, in memory, where shared memory and semaphores lie; without it there is none. */
  readonly sharedMemoryBytes?: number;
  /** Of all its processes together. Above it they are killed, and `onTooMuchMemory` is called first. */
  readonly memoryBytes: number;
  readonly onTooMuchMemory?: () => void;
  /** Seconds of CPU of each of its processes. Beyond, SIGXCPU ends it: under bubblewrap its status is 152. */
  readonly cpuSeconds?: number;
  /** Of each file that it writes. */
  readonly fileBytes?: number;
  /** Of each process, and a hard border. None for Node, which reserves many times what it uses. */
  readonly addressBytes?: number;
  /** How far it stands back behind others when CPU is scarce, 1 to 19, as `nice` has it. */
  readonly niceness?: number;
  /** Whether it may start processes of its own, which end with it; by default it may not. A thousand threads it may always. */
  readonly mayFork?: boolean;
  /** Of messages over IPC; `advanced` carries bytes as they are. */
  readonly serialization?: SerializationType;
  /** What becomes of its standard output and error; what is piped has to be read. By default it is thrown away. */
  readonly output?: 'ignore' | 'pipe';
  /** So many pipes more, from descriptor 4 on, as in `stdio` of Node. */
  readonly pipes?: number;
}

/**
 * Starts guests: processes that run code that is not ours. Each dies with this process, however this one ends, except
 * in the moment of its start; so a module also has to end itself on `disconnect`, and any other program at the end of a
 * pipe. `kill('SIGKILL')` ends all of a guest.
 */
export interface Sandbox {
  /** `none`: the guests have an empty environment and a limit of memory, and otherwise may do what this process may. */
  readonly kind: 'bubblewrap' | 'none';
  /** Whether guests find what is mounted where that says, and not at its path. */
  readonly hasOwnPaths: boolean;
  /** Why there is no better one, for people. */
  readonly reason?: string;
  /** A module of Node with a channel of messages (`process.send`), at descriptor 3. Its folder is not readable by itself. */
  fork(module: string, options: GuestOptions): ChildProcess;
  /** Any other program, without a channel. It and what it needs are among the readable. */
  spawn(program: string, options: Omit<GuestOptions, 'execArgv' | 'serialization'>): ChildProcess;
}
