/**
 * The program of a guest. This thread talks to the service; a second one runs Python, so that an interrupt, the answer to
 * `input()` and the end of the service are heard whatever Python does.
 */
import { Socket } from 'node:net';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { decodeFrame, encodeFrame } from '../../../domain/message-frame.ts';
import { kernelMessage, readHeader } from '../../jupyter/messages.ts';
import { kernelInfo } from './kernel-info.ts';
import { descriptors, words, type GuestOptions } from './options.ts';
import { piecesOf, sendPiece } from './pipe.ts';
import { cells, locked, sharedMemory, takeText, type FromPython, type StreamName } from './shared-memory.ts';

/** So long text waits for more of it. */
const collectMs = 10;
const SERVICE_CUTS_BYTES = 2 ** 20;
/** Deep enough that Python notices first that it is called too deep, and raises RecursionError; only what is used of it is memory. */
const STACK_MB = 256;
/** Python swallows what hits a finaliser, say, and what goes on for long in spite of an interrupt is killed soon. */
const againMs = 1500;

const options = JSON.parse(process.argv[2] ?? '{}') as GuestOptions;
const messages = new Socket({ fd: descriptors.messages });
const interrupts = new Socket({ fd: descriptors.interrupts });
for (const pipe of [messages, interrupts]) pipe.on('error', () => process.exit()).on('close', () => process.exit());

const memory = sharedMemory();
const { port1: python, port2 } = new MessageChannel();
const thread = new Worker(new URL('python-thread.ts', import.meta.url), {
  workerData: { port: port2, memory, options },
  transferList: [port2],
  env: {},
  resourceLimits: { maxOldGenerationSizeMb: 256, stackSizeMb: STACK_MB },
});
// Whatever ends Python ends the guest, and the service says so.
thread.on('error', (error) => {
  process.stderr.write(`${String(error)}\n`, () => process.exit(1));
});
thread.on('exit', () => process.exit(1));

let parent: Uint8Array = Buffer.from('{}');
let parentId = '';
let output = 0;
let outputIsCut = false;
let collecting: NodeJS.Timeout | undefined;
const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() } satisfies Record<StreamName, unknown>;

python.on('message', take);

function take(told: FromPython): void {
  if (told.kind === 'written') collecting ??= setTimeout(collect, collectMs);
  else if (told.kind === 'ready') interrupts.write(Buffer.of(words.ready));
  else if (told.kind === 'answering') answer(told.parent);
  else if (told.kind === 'file') void sendPiece(messages, told.frame).then(() => giveRoom(told.frame.length));
  else if (told.kind === 'text') post(told.stream, told.bytes, told.bytes.length);
  else send(told.frame, told.frame.length);
}

/** Python's own thread may post text at the same time: what it posted before is older than what lies in the memory. */
function collect(): void {
  collecting = undefined;
  if (messages.writableNeedDrain) {
    collecting = setTimeout(collect, collectMs);
    return;
  }
  const text = locked(memory, () => {
    for (let told = receiveMessageOnPort(python); told; told = receiveMessageOnPort(python)) {
      take(told.message as FromPython);
    }
    return takeText(memory);
  });
  if (text) post(text.stream, text.bytes, 0);
}

function answer(header: Uint8Array): void {
  const id = readHeader(header)?.msg_id ?? '';
  parent = header;
  if (id === parentId) return;
  parentId = id;
  output = 0;
  outputIsCut = false;
}

/** `posted`: so many bytes of room Python has again when this has left. */
function post(name: StreamName, bytes: Uint8Array, posted: number): void {
  const text = decoders[name].decode(bytes, { stream: true });
  if (text === '') giveRoom(posted);
  else
    send(encodeFrame(kernelMessage('iopub', 'stream', { name, text }, { session: options.session, parent })), posted);
}

/** The service cuts too; here it saves the way. What is no output has to pass: a little room more than the limit is for that. */
function send(frame: Uint8Array, posted: number): void {
  const isOutput = frame.length > 2048;
  output += isOutput ? frame.length : 0;
  if (outputIsCut && isOutput) {
    giveRoom(posted);
    return;
  }
  // A little later than the service, which counts less of each message and says that it has cut.
  outputIsCut = output > options.outputBytes + SERVICE_CUTS_BYTES;
  void sendPiece(messages, frame).then(() => giveRoom(posted));
}

function giveRoom(bytes: number): void {
  if (bytes === 0) return;
  Atomics.sub(memory.numbers, cells.posted, bytes);
  Atomics.notify(memory.numbers, cells.posted);
}

async function receive(): Promise<void> {
  for await (const piece of piecesOf(messages)) {
    const message = decodeFrame(piece);
    const type = readHeader(message.header)?.msg_type;
    if (message.channel === 'stdin') giveInput(message.content);
    else if (message.channel === 'control') answerControl(type, message.header);
    else python.postMessage(Uint8Array.from(piece));
  }
}

/** Only while Python waits for one; it asks for as many characters as there is room for. */
function giveInput(content: Uint8Array): void {
  const { value } = JSON.parse(Buffer.from(content).toString('utf8')) as { value?: unknown };
  const { written } = new TextEncoder().encodeInto(typeof value === 'string' ? value : '', memory.input);
  Atomics.store(memory.numbers, cells.inputLength, written);
  Atomics.store(memory.numbers, cells.answered, 1);
  Atomics.notify(memory.numbers, cells.answered);
}

/** Answered here, whatever Python does; interrupts and ends the service takes itself. */
function answerControl(type: string | undefined, header: Uint8Array): void {
  const say = (channel: 'control' | 'iopub', kind: string, content: object) =>
    void sendPiece(
      messages,
      encodeFrame(kernelMessage(channel, kind, content, { session: options.session, parent: header })),
    );
  say('iopub', 'status', { execution_state: 'busy' });
  if (type === 'kernel_info_request') say('control', 'kernel_info_reply', kernelInfo);
  say('iopub', 'status', { execution_state: 'idle' });
}

interrupts.on('data', () => void interrupt());

/** Interrupts what runs as soon as that can be, again and again, and tells when it has ended; what is begun after that goes on. */
async function interrupt(): Promise<void> {
  const { numbers } = memory;
  const ended = Atomics.load(numbers, cells.ended);
  for (;;) {
    const busy = Atomics.load(numbers, cells.busy);
    if (busy === 0 || Atomics.load(numbers, cells.ended) !== ended) break;
    if (busy === 2) Atomics.store(memory.interrupt, 0, 2);
    // Woken when that changes.
    await Atomics.waitAsync(numbers, cells.busy, busy, againMs).value;
  }
  interrupts.write(Buffer.of(words.stopped));
}

await receive();
process.exit();
