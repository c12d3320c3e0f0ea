/** What a client of a kernel does, whatever the variant to it: the same code measures all of them. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connect, Message } from './wire.ts';

export interface Executed {
  /** From the request until its reply and the word that the kernel is idle are both here. */
  readonly ms: number;
  /** Of what it wrote, as JSON. */
  readonly bytes: number;
  readonly status: string;
}

export interface KernelClient {
  readonly execute: (code: string) => Promise<Executed>;
  /** Resolves once the kernel has answered a question, which it does when it takes messages. */
  readonly greet: () => Promise<void>;
  /** Runs a loop without end; from the interrupt until the reply and the word that the kernel is idle, in milliseconds. */
  readonly interrupt: () => Promise<number>;
  readonly close: () => Promise<void>;
}

/** So long a loop has been running for certain once the kernel has said that it is busy. */
const RUNNING_MS = 50;
/** Whoever has heard nothing by then has lost a message. */
const TIMEOUT_MS = 60_000;

interface PendingRequest {
  readonly id: string;
  readonly isOver: PromiseWithResolvers<void>;
  readonly isBusy: PromiseWithResolvers<void>;
  bytes: number;
  status: string | undefined;
  isIdle: boolean;
}

export async function kernelClient(connect: Connect): Promise<KernelClient> {
  const session = randomUUID();
  let asked: PendingRequest | undefined;

  const hear = ({ channel, header, parentHeader, content }: Message): void => {
    const waiting = asked;
    const { msg_type: type } = read(header) as { msg_type?: string };
    if (!waiting || (read(parentHeader) as { msg_id?: string }).msg_id !== waiting.id) return;
    if (type === 'stream') waiting.bytes += content.length;
    else if (type === 'status') {
      const { execution_state: state } = read(content) as { execution_state?: string };
      waiting.isIdle = state === 'idle';
      if (state === 'busy') waiting.isBusy.resolve();
    } else if (channel === 'shell') waiting.status = (read(content) as { status: string }).status;
    if (waiting.isIdle && waiting.status !== undefined) waiting.isOver.resolve();
  };
  const wire = await connect(hear);

  const ask = (type: string, content: object): PendingRequest => {
    const id = randomUUID();
    const header = { msg_id: id, msg_type: type, session, username: '', date: new Date(), version: '5.3' };
    const [isOver, isBusy] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const request = { id, isOver, isBusy, bytes: 0, status: undefined, isIdle: false } as PendingRequest;
    asked = request;
    const message = { channel: 'shell', header: json(header), parentHeader: NOTHING, metadata: NOTHING };
    void wire.say({ ...message, content: json(content) });
    return request;
  };

  const inTime = async (what: string, waited: Promise<void>): Promise<void> => {
    const tooLate = new AbortController();
    const limit = delay(TIMEOUT_MS, undefined, { signal: tooLate.signal });
    await Promise.race([waited, limit.then(() => Promise.reject(new Error(`the kernel did not say: ${what}`)))]);
    tooLate.abort();
    await limit.catch(() => undefined);
  };

  return {
    async execute(code) {
      const startedAt = performance.now();
      const request = ask('execute_request', executing(code));
      await request.isOver.promise;
      return { ms: performance.now() - startedAt, bytes: request.bytes, status: request.status ?? '' };
    },
    async greet() {
      await inTime('its name', ask('kernel_info_request', {}).isOver.promise);
    },
    async interrupt() {
      const request = ask('execute_request', executing('while True: pass'));
      await inTime('busy', request.isBusy.promise);
      await delay(RUNNING_MS);
      const startedAt = performance.now();
      await wire.interrupt();
      await inTime('idle', request.isOver.promise);
      if (request.status !== 'error') throw new Error(`the loop ended with ${request.status ?? ''}`);
      return performance.now() - startedAt;
    },
    close: () => wire.close(),
  };
}

const executing = (code: string): object => ({
  code,
  silent: false,
  store_history: true,
  user_expressions: {},
  allow_stdin: false,
  // The next request would be refused for a moment after an interrupt.
  stop_on_error: false,
});

const NOTHING = Buffer.from('{}');
const json = (value: object): Buffer => Buffer.from(JSON.stringify(value));
const read = (bytes: Uint8Array): object =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) as object;
