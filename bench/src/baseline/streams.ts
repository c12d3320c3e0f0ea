/** Server-sent events, an upload and a kernel's WebSocket, as somebody would write them for these three operations alone. */
import {
  credentials,
  loadPackageDefinition,
  Metadata,
  type CallOptions,
  type ClientDuplexStream,
  type ClientReadableStream,
  type ClientWritableStream,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { WebSocketServer, type WebSocket } from 'ws';
import { failure } from './identity-client.ts';

const PROTOS = new URL('../../../protos', import.meta.url).pathname;
const DEADLINE_MS = 60 * 60_000;
/** Of an upload, in bytes, as on the platform. */
const MAX_UPLOAD_BYTES = 1_073_741_824;

type TurnEvent = {
  event_id: string;
  event: string;
  data: { turn_id: string; conversation_id: string; text: string };
};
type Frame = { text?: string; binary?: Buffer };
type FrameMessage = { frame: Frame | null };
type Uploaded = { size_bytes: string; checksum: string };

interface Services {
  turns: {
    watchTurn: (request: object, metadata: Metadata, options: CallOptions) => ClientReadableStream<TurnEvent>;
  };
  files: {
    uploadFile: (
      metadata: Metadata,
      options: CallOptions,
      done: (error: ServiceError | null, answer?: Uploaded) => void,
    ) => ClientWritableStream<object>;
  };
  kernels: { openChannels: (metadata: Metadata, options: CallOptions) => ClientDuplexStream<object, FrameMessage> };
}

/** Who asks, for a service. */
export type Asking = { assertion: string; requestId: string };

const metadataOf = ({ assertion, requestId }: Asking): Metadata => {
  const metadata = new Metadata();
  metadata.set('caller-assertion', assertion);
  metadata.set('request-id', requestId);
  return metadata;
};

const options = (): CallOptions => ({ deadline: Date.now() + DEADLINE_MS });

const connect = (address: string): Services => {
  const files = ['content/v1/turns.proto', 'content/v1/documents.proto', 'notebooks/v1/jupyter.proto'];
  const loaded = loadSync(
    files.map((file) => `platform/${file}`),
    { includeDirs: [PROTOS], keepCase: true, longs: String, enums: String, defaults: true, oneofs: true },
  );
  type Clients = { v1: Record<string, new (address: string, security: unknown) => unknown> };
  const { content, notebooks } = loadPackageDefinition(loaded)['platform'] as unknown as Record<string, Clients>;
  const client = (services: Clients | undefined, name: string): unknown => {
    const Service = services?.v1[name];
    if (!Service) throw new Error(`no service ${name} in the protos`);
    return new Service(address, credentials.createInsecure());
  };
  return {
    turns: client(content, 'TurnService'),
    files: client(content, 'FileService'),
    kernels: client(notebooks, 'JupyterService'),
  } as Services;
};

/** Those that are answered by a stream write their answers themselves; what fails before is thrown. */
export const connectStreams = (address: string) => {
  const { turns, files, kernels } = connect(address);
  const webSockets = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: 8 * 1_048_576 });

  const channels = (socket: WebSocket, kernelId: string, asking: Asking): void => {
    const call = kernels.openChannels(metadataOf(asking), options());
    call.write({ kernel_id: kernelId });
    call.on('data', ({ frame }: FrameMessage) => {
      if (!frame) return;
      socket.send(frame.text ?? frame.binary ?? '');
      if (socket.bufferedAmount > 1_048_576) {
        call.pause();
        setImmediate(() => call.resume());
      }
    });
    call.on('end', () => socket.close(1000));
    call.on('error', () => socket.close(1011));
    socket.on('message', (content: Buffer, isBinary) => {
      if (!call.write({ frame: isBinary ? { binary: content } : { text: content.toString() } })) socket.pause();
    });
    call.on('drain', () => socket.resume());
    socket.on('close', () => call.end());
    socket.on('error', () => call.cancel());
  };

  return {
    events: (turnId: string, lastEventId: string, asking: Asking, response: ServerResponse): Promise<void> => {
      const call = turns.watchTurn({ turn_id: turnId, last_event_id: lastEventId }, metadataOf(asking), options());
      response.once('close', () => call.cancel());
      return new Promise((resolve, reject) => {
        call.on('data', ({ event_id, event, data }: TurnEvent) => {
          if (!response.headersSent) {
            response.writeHead(200, {
              'content-type': 'text/event-stream',
              'cache-control': 'no-store',
              'x-request-id': asking.requestId,
              'x-api-version': '0.13.96',
            });
          }
          const { turn_id, conversation_id, text } = data;
          const kind = event.replace('TURN_EVENT_KIND_', '').toLowerCase();
          const shown = JSON.stringify({ turn_id, conversation_id, ...(text !== '' && { text }) });
          if (!response.write(`event: ${kind}\nid: ${event_id}\ndata: ${shown}\n\n`)) {
            call.pause();
            response.once('drain', () => call.resume());
          }
        });
        call.on('end', () => {
          response.end();
          resolve();
        });
        call.on('error', (error: ServiceError) => {
          if (response.headersSent) response.destroy();
          reject(failure(error));
        });
      });
    },

    upload: (ticket: string, asking: Asking, request: IncomingMessage): Promise<string> =>
      new Promise((resolve, reject) => {
        const call = files.uploadFile(metadataOf(asking), options(), (error, answer) => {
          if (error) reject(failure(error));
          else resolve(JSON.stringify({ size_bytes: Number(answer?.size_bytes), checksum: answer?.checksum }));
        });
        call.write({ ticket, content_type: request.headers['content-type'] ?? '' });
        let bytes = 0;
        request.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > MAX_UPLOAD_BYTES) call.cancel();
          else if (!call.write({ chunk })) request.pause();
        });
        call.on('drain', () => request.resume());
        request.once('end', () => call.end());
        request.once('error', () => call.cancel());
      }),

    channels: (request: IncomingMessage, head: Buffer, kernelId: string, asking: Asking): void =>
      webSockets.handleUpgrade(request, request.socket, head, (socket) => channels(socket, kernelId, asking)),
  };
};
