import type { KernelFolder } from './kernel-folder.ts';

/** The channels of Jupyter's messaging protocol that carry messages; the heartbeat stays between provider and kernel. */
export type Channel = 'shell' | 'control' | 'iopub' | 'stdin';

/**
 * One Jupyter message. Its parts are the JSON texts as bytes, as they came: whoever carries a message need not read it.
 * Every part is one JSON object; a message without a parent has `{}` there.
 */
export interface KernelMessage {
  readonly channel: Channel;
  readonly header: Uint8Array;
  readonly parentHeader: Uint8Array;
  readonly metadata: Uint8Array;
  readonly content: Uint8Array;
  readonly buffers: readonly Uint8Array[];
}

/** A kind of kernel that can be started. */
export interface KernelSpec {
  /** Unique in a provider, and what clients name: `python3`. */
  readonly name: string;
  readonly displayName: string;
  readonly language: string;
  /** How an interrupt is asked for, as in a kernelspec. Clients call for it in either case. */
  readonly interruptMode: 'signal' | 'message';
}

/** What one kernel may use; what a provider cannot hold to (one elsewhere) is the other side's to limit. */
export interface KernelLimits {
  /** Of the whole process; above it the kernel dies, and says so. */
  readonly memoryBytes: number;
  /** For one execute request; after it the kernel is interrupted, and then killed and restarted. */
  readonly executeSeconds: number;
  /** Of outputs (iopub) for one execute request; what is beyond is cut off and the cut is said once, on stderr. */
  readonly outputBytes: number;
  /** How often within an hour it is begun again after it has died by itself; none unless given. */
  readonly restarts?: number;
}

export interface KernelStartOptions {
  /** Our own id; whatever the provider calls it elsewhere stays inside the provider. */
  readonly kernelId: string;
  /** Null: nothing of anybody ever runs in it. */
  readonly organisationId: string | null;
  /** The name of one of the provider's specs. */
  readonly spec: string;
  readonly limits: KernelLimits;
  /** Variables that it has in its environment whenever it begins. */
  readonly environment?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
  /** What it begins in, and what stays of that when it ends; unless given a folder that ends with it. */
  readonly folder?: KernelFolder | undefined;
}

/** Starts kernels of one make. */
export interface KernelProvider {
  readonly name: string;
  /** What its kernels are shut in; undefined: nobody here can tell. */
  readonly sandbox?: 'bubblewrap' | 'none';
  specs(): Promise<readonly KernelSpec[]>;
  /** Asked before anybody pays; NOT_PROVIDED: no kernel is for this organisation here. Without it they are for all. */
  admit?(organisationId: string): Promise<void>;
  /** Resolves once the kernel takes messages. An unknown spec is a DomainError `not_found`; too slow a start `unavailable`. */
  start(wanted: KernelStartOptions): Promise<KernelHandle>;
  /** Bytes that the processes of its kernels hold, with those that are kept warm; undefined where nobody can tell. */
  memoryBytes?(): number | undefined;
  /** Where its kernels outlive this process: both are to be done every few seconds. */
  readonly outliving?: {
    /** Says that those of this process live. */
    renewLeases(): Promise<void>;
    /** Ends those of processes that are no more. */
    removeLeft(): Promise<void>;
  };
  /** Ends all its kernels and whatever it keeps warm. */
  close(): Promise<void>;
}

/** A listener that answers a promise holds the kernel's output back until it is done: back-pressure down to the guest. */
export type KernelListener = (message: KernelMessage) => void | Promise<void>;

/** One live kernel. Everything is safe to call at any time; after its end calls are refused with `unavailable`. */
export interface KernelHandle {
  /**
   * A message of a client for shell, control or stdin. Resolves when there is room for the next, so awaiting it holds the
   * client back. A part that is no JSON object, or a message for iopub, is a DomainError `malformed`. Only requests on shell are held
   * back (when a hundred wait), and what is sent while the kernel restarts; so nobody waits with stdin behind them.
   */
  send(message: KernelMessage): Promise<void>;
  /**
   * Every message of the kernel from now on, in order, to every listener; the answer ends it. During a restart a `status`
   * with `restarting` comes on iopub, without a parent, and says so where it was asked for. A listener that throws or rejects is removed.
   */
  listen(listener: KernelListener): () => void;
  /** Goes its own way, never behind output. What does not stop within a grace period is killed and restarted. */
  interrupt(): Promise<void>;
  /** The same kernel anew: same id, same listeners, nothing of its memory. Resolves once it takes messages. */
  restart(): Promise<void>;
  /** Brings it what others have changed in its folder. Resolves when the next cell sees that. */
  refresh?(): Promise<void>;
  /** Ends it; nothing is left of it when this resolves. */
  shutdown(): Promise<void>;
  /** Says why when it ends without being asked (its memory, a crash, the server it is on), and is pending otherwise. */
  readonly died: Promise<string>;
}
