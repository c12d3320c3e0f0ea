/**
 * A stand-in for notebooks, and for any service that streams: it keeps nothing, and looks into nothing. Messages leave one in each turn of the
 * event loop, as those of a model do, and not as fast as they can be written.
 */
import {
  Server,
  ServerCredentials,
  type MethodDefinition,
  type ServerDuplexStream,
  type ServerWritableStream,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ANSWERS_OF_A_ROUND_TRIP, READ } from './stream-paths.ts';

const PROTOS = new URL('../../../protos', import.meta.url).pathname;

const asItIs = (bytes: Buffer): Buffer => bytes;
const MESSAGE = Buffer.alloc(200, 'a word of an answer ');

/** As many messages as the request says, in digits. */
function read(call: ServerWritableStream<Buffer, Buffer>): void {
  let left = Number(call.request.toString());
  const next = (): void => {
    if (left === 0) {
      call.end();
      return;
    }
    left -= 1;
    if (call.write(MESSAGE)) setImmediate(next);
    else call.once('drain', next);
  };
  next();
}

const definitions = loadSync('platform/notebooks/v1/jupyter.proto', { includeDirs: [PROTOS], keepCase: true });
const jupyter = definitions['platform.notebooks.v1.JupyterService'] as ServiceDefinition;
const { path, responseSerialize } = jupyter['OpenChannels'] as MethodDefinition<object, object>;
const accepted = responseSerialize({ protocol: '' });
/** About what a kernel says of `6 * 7`: busy, the input, the result, the reply, idle. */
const said = responseSerialize({ frame: { text: JSON.stringify({ header: 'a'.repeat(400) }) } });

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
    openChannels: { ...raw, path, requestStream: true, responseStream: true },
  },
  { read, openChannels },
);
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${JSON.stringify({ ready: true, address: `127.0.0.1:${port}` })}\n`);
});
process.on('SIGTERM', () => process.exit(0));
