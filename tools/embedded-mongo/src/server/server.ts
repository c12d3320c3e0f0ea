import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Storage } from '../storage/storage.ts';
import { Authentication, passwordOf } from './authentication.ts';
import { Dispatcher } from './dispatch.ts';
import { MessageReader, parseMessage } from './wire.ts';

export interface RunningServer {
  readonly port: number;
  /** Answers what is under way, then closes the files. */
  close(): Promise<void>;
}

const TRANSACTIONS_MS = 500;
const TIDY_MS = 60_000;

/** Listens on this machine alone, where others than its owner have no password: it lies beside the data. */
export async function startServer({ directory, port }: { directory: string; port: number }): Promise<RunningServer> {
  const storage = new Storage(directory);
  const dispatcher = new Dispatcher(storage, new Authentication(passwordOf(directory)));
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    serve(socket, dispatcher);
  });
  await listening(server, port).catch(async (error: unknown) => {
    await storage.close();
    throw error;
  });
  const timers = [
    setInterval(() => {
      dispatcher.tidyTransactions();
    }, TRANSACTIONS_MS),
    setInterval(() => {
      dispatcher.tidy().catch((error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
      });
    }, TIDY_MS),
  ];
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const timer of timers) clearInterval(timer);
      server.close();
      for (const socket of sockets) socket.destroy();
      dispatcher.abortAll();
      await storage.close();
    },
  };
}

const listening = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });

let lastConnection = 0;

/** One command after the other, as they come. */
function serve(socket: Socket, dispatcher: Dispatcher): void {
  const connectionId = (lastConnection += 1);
  const gone = new AbortController();
  const reader = new MessageReader();
  const origin = { address: `127.0.0.1:${socket.localPort ?? 0}`, connectionId, signal: gone.signal };
  const answerOne = async (bytes: Buffer): Promise<void> => {
    const request = parseMessage(bytes);
    const reply = request.reply(await dispatcher.answer(request.command, origin));
    if (!request.wantsReply || socket.destroyed) return;
    if (!socket.write(reply)) await once(socket, 'drain', { signal: gone.signal });
  };
  socket.on('error', () => undefined);
  socket.on('close', () => {
    gone.abort(new Error('the connection was closed'));
    dispatcher.disconnected(connectionId);
  });
  const run = async (): Promise<void> => {
    for await (const part of socket) for (const bytes of reader.add(part as Buffer)) await answerOne(bytes);
  };
  run().catch((error: unknown) => {
    if (!socket.destroyed) process.stderr.write(`a connection was closed: ${String(error)}\n`);
    socket.destroy();
  });
}
