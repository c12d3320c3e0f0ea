/** Makes round trips over the WebSockets of a kernel whenever its parent tells it to. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { serveLoads, type Load } from '../caller-process.ts';
import { ANSWERS_OF_A_ROUND_TRIP } from './stream-paths.ts';

export interface SocketCallerOptions {
  /** Of the gateway. */
  readonly url: string;
  readonly token: string;
}

const KERNEL = '0199a000-0000-7000-8000-000000000002';
const REQUEST = JSON.stringify({ header: 'a'.repeat(300), content: { code: '6 * 7' } });

serveLoads(({ url, token }: SocketCallerOptions) => {
  const target = `${url.replace(/^http/, 'ws')}/notebooks/services/session/api/kernels/${KERNEL}/channels`;
  const idle: WebSocket[] = [];
  const open = async (): Promise<WebSocket> => {
    const socket = new WebSocket(target, { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false });
    await once(socket, 'open');
    return socket;
  };
  // One of a socket after the other, so that a socket has one under way.
  return (_: Load) => async () => {
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
    socket.send(REQUEST);
    await answered;
    idle.push(socket);
  };
});
