import type { KernelMessage } from '../domain/kernel-provider.ts';

/** One life of a kernel, from its start to its end; a restart begins another. This is what differs between providers. */
export interface KernelRun {
  /** Resolves when there is room for the next. Never called for iopub. */
  send(message: KernelMessage): Promise<void>;
  /** Asks, and again while it goes on. Resolves when what ran has stopped, which may be never. */
  interrupt(): Promise<void>;
  /** Milliseconds of CPU that it has had; undefined where nobody can tell. */
  cpuMs?(): number | undefined;
  /** Bytes of memory that it holds; undefined where nobody can tell. */
  memoryBytes?(): number | undefined;
  /** Nothing is left of it when this resolves. May be called twice. */
  end(): Promise<void>;
  /** Why it ended, whoever ended it. */
  readonly ended: Promise<string>;
}

/** What comes from the kernel. The next message is given when the promise resolves, where the way allows that. */
export type Receive = (message: KernelMessage) => Promise<void>;

/** Resolves once the kernel takes messages. */
export type StartRun = (receive: Receive) => Promise<KernelRun>;
