/** The variant of a user: a WebSocket to the gateway with Jupyter's binary frames. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Connect, Message } from './wire.ts';

export interface Server {
  /** `http://127.0.0.1:8080/notebooks/services/session/` */
  readonly baseUrl: string;
  readonly token: string;
}

const PROTOCOL = 'v1.kernel.websocket.jupyter.org';

export const overWebSocket =
  (server: Server, kernelId: string): Connect =>
  async (hear) => {
    const url = `${server.baseUrl.replace(/^http/, 'ws')}api/kernels/${kernelId}/channels`;
    const headers = { Authorization: `Bearer ${server.token}` };
    const socket = new WebSocket(url, [PROTOCOL], { headers, perMessageDeflate: false });
    socket.on('message', (frame: Buffer) => hear(decode(frame)));
    await once(socket, 'open');
    return {
      say(message) {
        socket.send(encode(message));
        return Promise.resolve();
      },
      async interrupt() {
        await request(server, 'POST', `api/kernels/${kernelId}/interrupt`);
      },
      async close() {
        socket.close();
        await once(socket, 'close');
      },
    };
  };

/** Starts a kernel and answers its id. */
export async function startKernel(server: Server): Promise<string> {
  const { id } = (await request(server, 'POST', 'api/kernels', { name: 'python3' })) as { id: string };
  return id;
}

export async function stopKernel(server: Server, kernelId: string): Promise<void> {
  await request(server, 'DELETE', `api/kernels/${kernelId}`);
}

async function request({ baseUrl, token }: Server, method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

/** The number of offsets, the offsets, the channel and the four parts, one after the other; here without buffers. */
function encode({ channel, header, parentHeader, metadata, content }: Message): Buffer {
  const parts = [Buffer.from(channel), header, parentHeader, metadata, content];
  const head = Buffer.alloc(8 * (parts.length + 2));
  head.writeUInt32LE(parts.length + 1, 0);
  let offset = head.length;
  for (const [at, part] of [...parts, NOTHING].entries()) {
    head.writeUInt32LE(offset, 8 * (at + 1));
    offset += part.length;
  }
  return Buffer.concat([head, ...parts]);
}

function decode(frame: Buffer): Message {
  const part = (at: number): Buffer => frame.subarray(frame.readUInt32LE(8 * at), frame.readUInt32LE(8 * (at + 1)));
  return { channel: part(1).toString(), header: part(2), parentHeader: part(3), metadata: part(4), content: part(5) };
}

const NOTHING = Buffer.alloc(0);
