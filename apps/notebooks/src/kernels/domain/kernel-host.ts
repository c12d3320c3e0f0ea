import type { KernelMessage } from './kernel-provider.ts';

/** The replica in which a kernel lives. NOT_FOUND: not in this one. UNAVAILABLE: it cannot be reached now. */
export interface KernelHost {
  /** Nothing happens to one that still starts. */
  readonly interrupt: (organisationId: string, kernelId: string) => Promise<void>;
  /** One that still starts goes on with that. */
  readonly restart: (organisationId: string, kernelId: string) => Promise<void>;
  readonly shutdown: (organisationId: string, kernelId: string) => Promise<void>;
  /** Brings it what has changed in the folder of its notebook; behind that it is seen by the next cell. */
  readonly refresh: (organisationId: string, kernelId: string) => Promise<void>;
  /**
   * Connects a client: what it says, and what it hears, beginning with the state of the kernel. It ends when either side
   * does. A client that connects again with the same session gets the replies to what it asked before.
   */
  readonly connect: (
    organisationId: string,
    kernelId: string,
    sessionId: string,
    messages: AsyncIterable<KernelMessage>,
  ) => Promise<AsyncIterable<KernelMessage>>;
}
