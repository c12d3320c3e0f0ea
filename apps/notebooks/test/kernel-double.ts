import { notFound, newId } from '@platform-backend/core';
import type {
  KernelHandle,
  KernelListener,
  KernelMessage,
  KernelProvider,
  KernelStartOptions,
} from '../src/kernels/domain/kernel-provider.ts';

/** A kernel without a language: it prints what it is to execute, `wait` works until it is interrupted, `ask` asks. */
export interface KernelDouble extends KernelProvider {
  readonly started: readonly KernelStartOptions[];
  /** Those that run, by id. */
  readonly running: ReadonlyMap<string, DoubledKernel>;
}

export interface DoubledKernel extends KernelHandle {
  /** Ends as one whose process was killed. */
  readonly kill: (reason: string) => void;
  /** Says on its own that this is its state, as its code may at any time. */
  readonly claim: (state: string) => Promise<void>;
  /** From now on its end waits until this is called. */
  readonly endSlowly: () => () => void;
  readonly interrupts: number;
}

export function kernelDouble(): KernelDouble {
  const started: KernelStartOptions[] = [];
  const running = new Map<string, DoubledKernel>();
  return {
    name: 'double',
    started,
    running,
    specs: () =>
      Promise.resolve([{ name: 'echo', displayName: 'Echo', language: 'text', interruptMode: 'message' as const }]),
    start(wanted) {
      if (wanted.spec !== 'echo') return Promise.reject(notFound('Kernel spec'));
      started.push(wanted);
      const kernel = doubledKernel(() => running.delete(wanted.kernelId));
      running.set(wanted.kernelId, kernel);
      return Promise.resolve(kernel);
    },
    close: () => Promise.resolve(),
  };
}

const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const read = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;

function doubledKernel(gone: () => void): DoubledKernel {
  const listeners = new Set<KernelListener>();
  const died = Promise.withResolvers<string>();
  let interrupts = 0;
  let finish: (() => void) | undefined;
  let mayEnd: Promise<unknown> | undefined;

  const tell = async (channel: KernelMessage['channel'], type: string, parent: Uint8Array, content: object) => {
    const header = json({ msg_id: newId(), msg_type: type, session: 'kernel', username: '', date: '', version: '5.3' });
    const message = { channel, header, parentHeader: parent, metadata: json({}), content: json(content), buffers: [] };
    for (const listener of listeners) await listener(message);
  };

  const execute = async (header: Uint8Array, code: string): Promise<void> => {
    await tell('iopub', 'status', header, { execution_state: 'busy' });
    if (code === 'wait') await new Promise<void>((resolve) => (finish = resolve));
    else if (code === 'ask') await tell('stdin', 'input_request', header, { prompt: '?', password: false });
    else await tell('iopub', 'stream', header, { name: 'stdout', text: code });
    await tell('shell', 'execute_reply', header, { status: 'ok', execution_count: 1 });
    await tell('iopub', 'status', header, { execution_state: 'idle' });
  };

  return {
    get interrupts() {
      return interrupts;
    },
    async send({ header, content }) {
      const { msg_type: type } = read(header);
      if (type !== 'execute_request') return;
      const { code } = read(content) as { code: string };
      const done = execute(header, code);
      if (code !== 'wait') await done;
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    interrupt() {
      interrupts += 1;
      finish?.();
      return Promise.resolve();
    },
    restart: () => tell('iopub', 'status', json({}), { execution_state: 'restarting' }),
    async shutdown() {
      await mayEnd;
      gone();
    },
    endSlowly() {
      const end = Promise.withResolvers<undefined>();
      mayEnd = end.promise;
      return () => end.resolve(undefined);
    },
    died: died.promise,
    claim: (state) => tell('iopub', 'status', json({}), { execution_state: state }),
    kill(reason) {
      gone();
      died.resolve(reason);
    },
  };
}
