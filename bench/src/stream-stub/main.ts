/**
 * A stand-in for content, notebooks, and any service that streams: it keeps nothing, and looks into nothing. Messages leave one in each turn of the
 * event loop, as those of a model do, and not as fast as they can be written.
 */
import {
  Server,
  ServerCredentials,
  type MethodDefinition,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerWritableStream,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ANSWERS_OF_A_ROUND_TRIP, CONVERSATION, EVENTS_OF_A_TURN, READ, TURN } from '../streams/stream-paths.ts';

const PROTOS = new URL('../../../protos', import.meta.url).pathname;

const asItIs = (bytes: Buffer): Buffer => bytes;
const MESSAGE = Buffer.alloc(200, 'a word of an answer ');

function writeEach(call: ServerWritableStream<Buffer, Buffer>, messages: readonly Buffer[]): void {
  const next = (at: number): void => {
    const message = messages[at];
    if (message === undefined) call.end();
    else if (call.write(message)) setImmediate(next, at + 1);
    else call.once('drain', () => next(at + 1));
  };
  next(0);
}

/** As many messages as the request says, in digits. */
const read = (call: ServerWritableStream<Buffer, Buffer>): void =>
  writeEach(call, Array<Buffer>(Number(call.request.toString())).fill(MESSAGE));

const definitions = loadSync(
  ['content/v1/turns.proto', 'content/v1/documents.proto', 'notebooks/v1/jupyter.proto'].map(
    (file) => `platform/${file}`,
  ),
  { includeDirs: [PROTOS], keepCase: true },
);
const method = (service: string, name: string) =>
  (definitions[`platform.${service}`] as ServiceDefinition)[name] as MethodDefinition<object, object>;
const channels = method('notebooks.v1.JupyterService', 'OpenChannels');
const upload = method('content.v1.FileService', 'UploadFile');
const turn = method('content.v1.TurnService', 'WatchTurn');

const accepted = channels.responseSerialize({ protocol: '' });
/** About what a kernel says of `6 * 7`: busy, the input, the result, the reply, idle. */
const said = channels.responseSerialize({ frame: { text: JSON.stringify({ header: 'a'.repeat(400) }) } });
const told = Array.from({ length: EVENTS_OF_A_TURN }, (_, index) =>
  turn.responseSerialize({
    event_id: String(index + 1),
    event: 'TURN_EVENT_KIND_TEXT',
    data: { turn_id: TURN, conversation_id: CONVERSATION, text: 'some words of an answer ' },
  }),
);

const watchTurn = (call: ServerWritableStream<Buffer, Buffer>): void => writeEach(call, told);

function uploadFile(call: ServerReadableStream<{ chunk?: Buffer }, object>, done: sendUnaryData<object>): void {
  let bytes = 0;
  call.on('data', ({ chunk }: { readonly chunk?: Buffer }) => {
    bytes += chunk?.length ?? 0;
  });
  call.on('end', () => done(null, { size_bytes: bytes, checksum: 'not looked at' }));
  call.on('error', () => undefined);
}

function openChannels(call: ServerDuplexStream<Buffer, Buffer>): void {
  let isOpen = false;
  call.on('data', (request: Buffer) => {
    // What ends a client's requests is empty.
    if (request.length === 0) call.end();
    else if (!isOpen) {
      isOpen = true;
      call.write(accepted);
    } else for (let answer = 0; answer < ANSWERS_OF_A_ROUND_TRIP; answer += 1) call.write(said);
  });
  call.on('end', () => call.end());
  call.on('error', () => undefined);
}

const raw = {
  requestSerialize: asItIs,
  requestDeserialize: asItIs,
  responseSerialize: asItIs,
  responseDeserialize: asItIs,
};
const server = new Server();
server.addService(
  {
    read: { ...raw, path: READ, requestStream: false, responseStream: true },
    watchTurn: { ...turn, ...raw },
    openChannels: { ...channels, ...raw },
    uploadFile: upload,
  },
  { read, watchTurn, openChannels, uploadFile },
);
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${JSON.stringify({ ready: true, address: `127.0.0.1:${port}` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
