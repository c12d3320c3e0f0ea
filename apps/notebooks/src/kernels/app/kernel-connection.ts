import { clientTooSlow } from '../domain/errors.ts';
import type { KernelMessage } from '../domain/kernel-provider.ts';
import { sizeOf } from '../domain/message-size.ts';

/** What may wait for a client before its kernel is held back, in bytes. */
const ROOM_BYTES = 1024 * 1024;

export interface KernelConnection {
  readonly sessionId: string;
  /** Resolves when there is room for more; never waits longer than a client may stand still. */
  readonly deliver: (message: KernelMessage) => void | Promise<void>;
  /** Ends what the client hears, behind everything that was delivered. */
  readonly end: () => void;
  /** Ends it at once. */
  readonly fail: (error: unknown) => void;
  readonly isOpen: () => boolean;
  /** What was delivered and not taken, once it is over. */
  readonly unsent: () => readonly KernelMessage[];
  /** What the client hears; to be read once. */
  readonly messages: () => AsyncGenerator<KernelMessage>;
}

/** One client of a kernel. Who reads nothing for `timeoutMs` while the kernel waits is disconnected. */
export function kernelConnection(sessionId: string, timeoutMs: number): KernelConnection {
  const waiting: KernelMessage[] = [];
  const left: KernelMessage[] = [];
  let bytes = 0;
  let over: { readonly error?: unknown } | undefined;
  let wake = Promise.withResolvers<undefined>();
  let room: PromiseWithResolvers<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const makeRoom = (): void => {
    clearTimeout(timer);
    room?.resolve();
    room = undefined;
  };
  const finish = (how: { readonly error?: unknown }): void => {
    if (over) return;
    over = how;
    if ('error' in how) left.push(...waiting.splice(0));
    makeRoom();
    wake.resolve(undefined);
  };
  const fail = (error: unknown): void => finish({ error });

  return {
    sessionId,
    deliver(message) {
      if (over) return;
      waiting.push(message);
      bytes += sizeOf(message);
      wake.resolve(undefined);
      if (bytes <= ROOM_BYTES) return;
      if (!room) {
        room = Promise.withResolvers();
        const tooSlow = () => fail(clientTooSlow());
        timer = setTimeout(tooSlow, timeoutMs).unref();
      }
      return room.promise;
    },
    end: () => finish({}),
    fail,
    isOpen: () => !over,
    unsent: () => [...left, ...waiting],
    async *messages() {
      try {
        for (;;) {
          const next = waiting.shift();
          if (next) {
            bytes -= sizeOf(next);
            if (bytes <= ROOM_BYTES) makeRoom();
            yield next;
          } else if (over) {
            if ('error' in over) throw over.error;
            return;
          } else {
            await wake.promise;
            wake = Promise.withResolvers();
          }
        }
      } finally {
        finish({});
      }
    },
  };
}
