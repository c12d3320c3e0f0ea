/** Reads events, makes round trips over a kernel's WebSockets or uploads files, whenever its parent tells it to. */
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { serveLoads, type Load } from '../caller-process.ts';
import { ANSWERS_OF_A_ROUND_TRIP, EVENTS_OF_A_TURN, TURN } from '../streams/stream-paths.ts';
import { KIBS_OF_AN_UPLOAD, TURN_PATH, UPLOAD_PATH, type StreamKind } from './stream-kinds.ts';

export interface GatewayCallerOptions {
  /** Of the servers, by the variant of the caller. */
  readonly urls: Readonly<Record<string, string>>;
  readonly token: string;
}

export interface GatewayLoad extends Load {
  readonly kind: StreamKind;
}

type Task = () => Promise<void>;

const KERNEL_PATH = '/notebooks/services/session/api/kernels/0199a000-0000-7000-8000-000000000002/channels';
const QUESTION = JSON.stringify({ header: 'a'.repeat(300), content: { code: '6 * 7' } });
const LAST_EVENT = `id: ${EVENTS_OF_A_TURN}\n`;
const PIECE = Buffer.alloc(64 * 1024, 'a page of a large document ');
const NOTHING = Buffer.alloc(0);
const agent = new Agent({ keepAlive: true });

const refusal = ({ statusCode }: IncomingMessage): Error => new Error(`answered ${String(statusCode)}`);

function readTurns(url: string, token: string): Task {
  const headers = { authorization: `Bearer ${token}` };
  return async () => {
    const [response] = (await once(request(url + TURN_PATH, { agent, headers }).end(), 'response')) as [
      IncomingMessage,
    ];
    if (response.statusCode !== 200) throw refusal(response);
    let last: Buffer = NOTHING;
    response.on('data', (bytes: Buffer) => (last = bytes));
    await once(response, 'end');
    if (!last.includes(LAST_EVENT)) throw new Error(`a stream of ${TURN} ended before its end`);
  };
}

function makeRoundTrips(url: string, token: string): Task {
  const target = url.replace(/^http/, 'ws') + KERNEL_PATH;
  const idle: WebSocket[] = [];
  const open = async (): Promise<WebSocket> => {
    const socket = new WebSocket(target, { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false });
    await once(socket, 'open');
    return socket;
  };
  // One of a socket after the other, so that a socket has one under way.
  return async () => {
    const socket = idle.pop() ?? (await open());
    const answered = new Promise<void>((resolve) => {
      let left = ANSWERS_OF_A_ROUND_TRIP;
      const hear = (): void => {
        left -= 1;
        if (left > 0) return;
        socket.off('message', hear);
        resolve();
      };
      socket.on('message', hear);
    });
    socket.send(QUESTION);
    await answered;
    idle.push(socket);
  };
}

function uploadFiles(url: string): Task {
  const bytes = KIBS_OF_AN_UPLOAD * 1024;
  const headers = { 'content-type': 'application/octet-stream', 'content-length': String(bytes) };
  return async () => {
    const sending = request(url + UPLOAD_PATH, { agent, method: 'PUT', headers });
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    for (let sent = 0; sent < bytes; sent += PIECE.length) if (!sending.write(PIECE)) await once(sending, 'drain');
    sending.end();
    const [response] = await answered;
    if (response.statusCode !== 200) throw refusal(response);
    response.resume();
    await once(response, 'end');
  };
}

serveLoads(({ urls, token, variant }: GatewayCallerOptions & { readonly variant: string }) => {
  const url = urls[variant] ?? '';
  const tasks: Record<StreamKind, Task> = {
    events: readTurns(url, token),
    'round-trips': makeRoundTrips(url, token),
    uploads: uploadFiles(url),
  };
  return ({ kind }: GatewayLoad) => tasks[kind];
});
