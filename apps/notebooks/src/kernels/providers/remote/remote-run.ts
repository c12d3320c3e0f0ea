import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import type { KernelMessage } from '../../domain/kernel-provider.ts';
import { decodeFrame, encodeFrame } from '../../domain/message-frame.ts';
import { kernelMessage, parentIdOf, readHeader, readJson } from '../jupyter/messages.ts';
import { silentRequests } from '../jupyter/silent-requests.ts';
import type { KernelRun, Receive } from '../kernel-run.ts';
import type { RemoteServer } from './remote-server.ts';

export interface RemoteStart {
  readonly server: RemoteServer;
  readonly spec: string;
  readonly receive: Receive;
  readonly startTimeoutMs: number;
  /** It is there, by this id. Where that cannot be noted it is removed again. */
  readonly begun: (id: string) => Promise<void>;
  /** It is gone from here, and from there too unless its server could not be reached. */
  readonly ended: (id: string, isRemoved: boolean) => Promise<void>;
}

const nudgeMs = 200;
/** An interrupt that hits what Python swallows exceptions in, such as a finaliser, is lost. */
const againMs = 1500;

/** Starts a kernel there and waits until it answers. */
export async function startRemote({
  server,
  spec,
  receive,
  startTimeoutMs,
  ...noted
}: RemoteStart): Promise<KernelRun> {
  const { id } = await server.ask<{ readonly id: string }>('POST', 'kernels', { name: spec });
  const session = randomUUID();
  const gone = Promise.withResolvers<string>();
  const running = new Map<string, () => void>();
  const speaks = Promise.withResolvers<true>();
  let socket: WebSocket | undefined;

  const send = async (message: KernelMessage): Promise<void> =>
    await new Promise((resolve) => (socket ? socket.send(encodeFrame(message), () => resolve()) : resolve()));
  const own = silentRequests(session, send);

  let removing: Promise<void> | undefined;
  /** The kernel there goes too, whatever has ended this one: nobody else knows of it. */
  function remove(why: string): Promise<void> {
    gone.resolve(why);
    socket?.terminate();
    removing ??= server
      .remove(id)
      .then(
        () => noted.ended(id, true),
        () => noted.ended(id, false),
      )
      .catch(() => undefined);
    return removing;
  }

  async function take(message: KernelMessage): Promise<void> {
    const type = readHeader(message.header)?.msg_type;
    const parent = readHeader(message.parentHeader);
    if (parent?.session === session) {
      if (message.channel === 'iopub') speaks.resolve(true);
      if (message.channel === 'shell') own.heard(parent.msg_id, message);
      return;
    }
    if (message.channel === 'shell' && type === 'execute_reply') finish(parentIdOf(message));
    // Those there start a kernel again that has died; here that is a death, or nobody would know that its memory is lost.
    const state = type === 'status' ? readJson(message.content)?.['execution_state'] : undefined;
    if (state === 'restarting' || state === 'dead') await remove('It died on its server');
    else await receive(message);
  }
  function finish(requestId: string): void {
    running.get(requestId)?.();
    running.delete(requestId);
  }

  try {
    await noted.begun(id);
    const opened = server.channels(id, session);
    socket = opened;
    opened.on('error', () => undefined);
    await once(opened, 'open', { signal: AbortSignal.timeout(startTimeoutMs) });
    // Small frames that wait for others cost 40 ms each.
    (opened as unknown as { readonly _socket?: Socket })._socket?.setNoDelay(true);
    opened.on('close', () => void remove('The connection to its server is lost'));
    readInOrder(opened, take, () => void remove('Its server sent what is no message'));
    const deadline = performance.now() + startTimeoutMs;
    do {
      if (performance.now() > deadline) throw new Error('It took too long to start');
      await send(kernelMessage('shell', 'kernel_info_request', {}, { session }));
    } while (
      !(await Promise.race([
        speaks.promise,
        delay(nudgeMs, false),
        gone.promise.then((why) => Promise.reject(new Error(why))),
      ]))
    );

    return {
      ended: gone.promise,
      async send(message) {
        const header = readHeader(message.header);
        if (header?.msg_type === 'execute_request') running.set(header.msg_id, () => undefined);
        await send(message);
      },
      async interrupt() {
        const [first] = running.keys();
        // Another interrupt may wait for it as well.
        const others = first === undefined ? undefined : running.get(first);
        const stopped =
          first === undefined
            ? undefined
            : new Promise<void>((resolve) => {
                running.set(first, () => {
                  others?.();
                  resolve();
                });
              });
        const signal = async () => await server.ask('POST', `kernels/${id}/interrupt`);
        await signal();
        let again = performance.now() + againMs;
        // A signal alone does not wake a loop that awaits; any request after it does.
        const over = Promise.race([stopped, gone.promise]).then(() => true);
        do {
          await send(kernelMessage('shell', 'kernel_info_request', {}, { session }));
          if (performance.now() < again) continue;
          await signal().catch(() => undefined);
          again = performance.now() + againMs;
        } while (!(await Promise.race([over, delay(nudgeMs, false)])));
        await Promise.race([own.untilItExecutes(), gone.promise]);
      },
      end: async () => await remove('It was ended'),
    };
  } catch (error) {
    await remove('It did not start');
    throw error;
  }
}

/** One after the other; while one is not taken nothing more is read from the network. */
function readInOrder(socket: WebSocket, take: (message: KernelMessage) => Promise<void>, onTrouble: () => void): void {
  let last = Promise.resolve();
  let waiting = 0;
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    waiting += 1;
    socket.pause();
    last = last.then(async () => {
      try {
        await take(isBinary ? decodeFrame(data) : fromText(data));
      } catch {
        onTrouble();
      }
      waiting -= 1;
      if (waiting === 0) socket.resume();
    });
  });
}

/** The form of servers that do not know the subprotocol. */
function fromText(data: Buffer): KernelMessage {
  const {
    channel,
    header,
    parent_header: parent,
    metadata,
    content,
  } = JSON.parse(data.toString('utf8')) as Record<string, unknown>;
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  if (channel !== 'shell' && channel !== 'control' && channel !== 'iopub' && channel !== 'stdin')
    throw new Error('no channel');
  return {
    channel,
    header: json(header),
    parentHeader: json(parent),
    metadata: json(metadata),
    content: json(content),
    buffers: [],
  };
}
