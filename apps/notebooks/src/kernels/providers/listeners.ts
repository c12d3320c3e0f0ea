import type { KernelListener, KernelMessage } from '../domain/kernel-provider.ts';
import { sizeOf } from '../domain/message-size.ts';

export interface Listeners {
  readonly add: (listener: KernelListener) => () => void;
  /** In order, to all, each message when the one before was taken. Resolves when little enough waits for more. */
  readonly give: (message: KernelMessage) => Promise<void>;
  /** Resolves when everything that was given so far is taken. */
  readonly taken: () => Promise<void>;
}

/** So many bytes may wait for the listeners before the kernel is held back. */
const waitingBytes = 2 ** 20;

export function kernelListeners(): Listeners {
  const listeners = new Set<KernelListener>();
  let last = Promise.resolve();
  let waiting = 0;

  async function deliver(message: KernelMessage): Promise<void> {
    for (const listener of [...listeners]) {
      try {
        const taken = listener(message);
        if (taken) await taken;
      } catch {
        listeners.delete(listener);
      }
    }
  }

  return {
    taken: () => last,
    add(listener) {
      // Each has an identity of its own, or one function given twice would be one.
      const own: KernelListener = (message) => listener(message);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    async give(message) {
      const size = sizeOf(message);
      waiting += size;
      last = last.then(async () => {
        await deliver(message);
        waiting -= size;
      });
      if (waiting > waitingBytes) await last;
    },
  };
}
