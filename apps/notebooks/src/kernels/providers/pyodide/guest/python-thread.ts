/** Runs Python: one request after the other, each with its state, its outputs and its reply. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { loadPyodide, type PyodideInterface } from 'pyodide';
import type { PyDict } from 'pyodide/ffi';
import type { Channel, KernelMessage } from '../../../domain/kernel-provider.ts';
import { decodeFrame, encodeFrame, MAX_BUFFERS } from '../../../domain/message-frame.ts';
import { kernelMessage, readHeader } from '../../jupyter/messages.ts';
import { NO_PACKAGES, NO_SHELL } from '../../jupyter/no-processes.ts';
import { kernelInfo } from './kernel-info.ts';
import { environment, TIME_ZONES, type GuestOptions } from './options.ts';
import {
  cells,
  locked,
  postedRoom,
  setBusy,
  signalsOf,
  streams,
  takeText,
  textRoom,
  type FromPython,
  type SharedMemory,
  type StreamName,
} from './shared-memory.ts';

/** How often a wait looks whether it was interrupted. */
const lookMs = 20;
/** A message may be as long as a piece of the pipe, less its other parts. */
const maxContentBytes = 15 * 2 ** 20;

const { port, memory, options } = workerData as { port: MessagePort; memory: SharedMemory; options: GuestOptions };
const { numbers } = memory;

limitMemory(options.pythonBytes);
const python = await startPython();
interface Kernel {
  /** The reply; none while something is awaited, for which it then waits and goes on. */
  execute: (request: string) => string | undefined;
  wait: () => Promise<void>;
  go_on: () => string | undefined;
  answer: (type: string, request: string) => string;
  /** A message of a comm, with its header, content and metadata as JSON. */
  comm: (type: string, header: string, content: string, metadata: string, buffers: Uint8Array[]) => void;
  cancel: () => boolean;
  /** Of the folder: one change of others, or what it begins with. */
  put: (change: string, piece: Uint8Array) => void;
  prepare: (content: string) => void;
  forget: () => void;
}
const kernel = startKernel();

let parent: Uint8Array = Buffer.from('{}');
let aborting = false;
/** Requests are taken one by one; what waits is bounded by the service. */
let last = Promise.resolve();
port.on('message', enqueue);
tell({ kind: 'ready' });

function enqueue(frame: Uint8Array): void {
  last = last.then(async () => await serve(frame));
}

async function serve(frame: Uint8Array): Promise<void> {
  const request = decodeFrame(frame);
  const type = readHeader(request.header)?.msg_type ?? '';
  parent = Uint8Array.from(request.header);
  tell({ kind: 'answering', parent });
  if (type === 'execute_request' && !aborting) {
    // Whoever hears that it is busy may interrupt at once.
    Atomics.store(memory.interrupt, 0, 0);
    setBusy(memory, 1);
  }
  say('iopub', 'status', { execution_state: 'busy' });
  await reply(type, request);
  say('iopub', 'status', { execution_state: 'idle' });
}

async function reply(type: string, request: KernelMessage): Promise<void> {
  const content = Buffer.from(request.content).toString('utf8');
  const [buffer] = request.buffers;
  const replyType = type.replace(/_request$/, '_reply');
  if (type === 'execute_request') {
    const answer = aborting ? JSON.stringify({ status: 'aborted' }) : await execute(content);
    // Before it is answered: what is sent behind the answer is not aborted.
    if (!aborting && stopsOthers(answer, content)) abortWaiting();
    say('shell', replyType, answer);
  } else if (type === 'kernel_info_request') say('shell', replyType, kernelInfo);
  else if (type === 'folder_put') kernel.put(content, Uint8Array.from(buffer ?? []));
  else if (type === 'folder_forget') kernel.forget();
  else if (type === 'preparation_request') {
    kernel.prepare(content);
    say('shell', replyType, { status: 'ok' });
  } else if (/^comm_(open|msg|close)$/.test(type)) takeComm(type, request);
  else if (type.endsWith('_request')) say('shell', replyType, answerOf(type, content));
}

/** Requests that have arrived already are not executed after an error, as clients expect. */
function abortWaiting(): void {
  aborting = true;
  for (let waiting = receiveMessageOnPort(port); waiting; waiting = receiveMessageOnPort(port)) {
    enqueue(waiting.message as Uint8Array);
  }
  last = last.then(() => {
    aborting = false;
  });
}

const stopsOthers = (answer: string, content: string): boolean =>
  answer.startsWith('{"status": "error"') && readContent(content)['stop_on_error'] !== false;

function readContent(content: string): Record<string, unknown> {
  try {
    return JSON.parse(content) as Record<string, unknown>;
  } catch {
    return {};
  }
}

async function execute(content: string): Promise<string> {
  // While Python awaits, this thread is free and nobody else looks for interrupts.
  const watch = setInterval(() => {
    const isInterrupted = Atomics.compareExchange(memory.interrupt, 0, 2, 0) === 2;
    // Where nothing is awaited yet, Python itself comes upon it.
    if (isInterrupted && !kernel.cancel()) Atomics.store(memory.interrupt, 0, 2);
  }, lookMs);
  try {
    let answer = kernel.execute(content);
    while (answer === undefined) {
      await kernel.wait();
      answer = kernel.go_on();
    }
    return answer;
  } catch (error) {
    // Whatever it is asked from now on has no answer: the service says that the kernel has died.
    if (hasEnded(error)) throw error;
    const answer = failure(error);
    const { ename, evalue, traceback } = readContent(answer);
    say('iopub', 'error', { ename, evalue, traceback });
    return answer;
  } finally {
    clearInterval(watch);
    setBusy(memory, 0);
    Atomics.store(memory.interrupt, 0, 0);
    flush();
  }
}

/** What a view says to its widget; what that computes may be interrupted as a cell. */
function takeComm(type: string, request: KernelMessage): void {
  const [header, content, metadata] = [request.header, request.content, request.metadata].map((part) =>
    Buffer.from(part).toString('utf8'),
  ) as [string, string, string];
  Atomics.store(memory.interrupt, 0, 0);
  setBusy(memory, 2);
  try {
    kernel.comm(
      type,
      header,
      content,
      metadata,
      request.buffers.map((buffer) => Uint8Array.from(buffer)),
    );
  } catch (error) {
    write('stderr', Buffer.from(`${error instanceof Error ? error.message : String(error)}\n`));
  } finally {
    setBusy(memory, 0);
    Atomics.store(memory.interrupt, 0, 0);
    flush();
  }
}

function answerOf(type: string, content: string): string {
  try {
    return kernel.answer(type, content);
  } catch (error) {
    return failure(error);
  }
}

/** Python has exited or broken down in the middle of a call. */
const hasEnded = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'Exit' || error.name === 'ExitStatus' || 'pyodide_fatal_error' in error);

/** An error of this side of Python, or an interrupt in the moment before the cell began. */
function failure(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const interrupted = text.includes('KeyboardInterrupt');
  const [ename, evalue] = interrupted ? ['KeyboardInterrupt', ''] : ['KernelError', text.slice(0, 2000)];
  return JSON.stringify({
    status: 'error',
    execution_count: 0,
    ename,
    evalue,
    traceback: [`${ename}: ${evalue}`],
  }).replace('{"status":"error"', '{"status": "error"');
}

/** Publishes for Python: display_data and the like. */
function publish(type: string, content: string, metadata: string, buffers: Uint8Array[]): void {
  flush();
  const bytes = buffers.reduce((sum, { length }) => sum + length, content.length + metadata.length);
  if (bytes > maxContentBytes || buffers.length > MAX_BUFFERS) {
    // The service would take it for no message, and end the kernel.
    const parts = buffers.length > MAX_BUFFERS ? ` with ${buffers.length} buffers` : '';
    write('stderr', Buffer.from(`An output of ${bytes} characters${parts} is too long to be shown.\n`));
    return;
  }
  const message = kernelMessage('iopub', type, content, {
    session: options.session,
    parent,
    metadata: Buffer.from(metadata),
  });
  post(encodeFrame({ ...message, buffers }), true);
}

/** What a cell has written into its folder. */
function folderChanged(content: string, piece: Uint8Array): void {
  flush();
  const message = kernelMessage('iopub', 'folder_changed', content, { session: options.session, parent });
  const frame = encodeFrame({ ...message, buffers: [piece] });
  waitForRoom(frame.length, false);
  tell({ kind: 'file', frame });
}

function say(channel: Channel, type: string, content: unknown): void {
  flush();
  post(encodeFrame(kernelMessage(channel, type, content, { session: options.session, parent })), false);
}

function post(frame: Uint8Array, interruptible: boolean): void {
  waitForRoom(frame.length, interruptible);
  tell({ kind: 'message', frame });
}

/** The streams of Python. */
function write(stream: StreamName, bytes: Uint8Array): void {
  for (let start = 0; start < bytes.length; start += textRoom)
    writePart(stream, bytes.subarray(start, start + textRoom));
}

function writePart(stream: StreamName, bytes: Uint8Array): void {
  const stored = locked(memory, () => {
    const length = numbers[cells.textLength] ?? 0;
    if (length > 0 && (streams[numbers[cells.textStream] ?? 0] !== stream || length + bytes.length > textRoom)) return;
    memory.text.set(bytes, length);
    numbers[cells.textStream] = streams.indexOf(stream);
    numbers[cells.textLength] = length + bytes.length;
    return { wasEmpty: length === 0 };
  });
  if (stored === undefined) {
    flush(true);
    writePart(stream, bytes);
  } else if (stored.wasEmpty) tell({ kind: 'written' });
}

function flush(interruptible = false): void {
  const text = locked(memory, () => takeText(memory));
  if (!text) return;
  // It is posted in any case, or an interrupt would lose it.
  tell({ kind: 'text', ...text });
  waitForRoom(text.bytes.length, interruptible);
}

function waitForRoom(bytes: number, interruptible: boolean): void {
  let posted = Atomics.add(numbers, cells.posted, bytes) + bytes;
  while (posted > postedRoom + bytes) {
    Atomics.wait(numbers, cells.posted, posted, lookMs);
    posted = Atomics.load(numbers, cells.posted);
    if (interruptible) python.checkInterrupt();
  }
}

function sleep(seconds: number): void {
  const end = performance.now() + seconds * 1000;
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  for (let left = end - performance.now(); left > 0; left = end - performance.now()) {
    Atomics.wait(nothing, 0, 0, Math.min(left, lookMs));
    python.checkInterrupt();
  }
}

function ask(prompt: string, password: boolean): string {
  Atomics.store(numbers, cells.answered, 0);
  say('stdin', 'input_request', { prompt, password });
  while (Atomics.load(numbers, cells.answered) === 0) {
    Atomics.wait(numbers, cells.answered, 0, lookMs);
    python.checkInterrupt();
  }
  return Buffer.from(memory.input.slice(0, Atomics.load(numbers, cells.inputLength))).toString('utf8');
}

/** Before that an interrupt would hit what starts a request, and nobody would answer it any more. */
function begun(): void {
  setBusy(memory, 2);
}

/** The header of the request that is answered, as JSON. */
function parentText(): string {
  return Buffer.from(parent).toString('utf8');
}

function tell(told: FromPython): void {
  port.postMessage(told);
}

/** Above it Python raises MemoryError and goes on. Code that undoes this meets the limit of the whole process. */
function limitMemory(bytes: number): void {
  const { prototype } = (globalThis as unknown as { WebAssembly: { Memory: { prototype: WebAssemblyMemory } } })
    .WebAssembly.Memory;

  const { grow } = prototype;
  prototype.grow = function (pages) {
    if (this.buffer.byteLength + pages * 65_536 > bytes) throw new RangeError('the memory limit is reached');
    return grow.call(this, pages);
  };
}

/** Node's types leave WebAssembly to those of browsers. */
interface WebAssemblyMemory {
  readonly buffer: ArrayBuffer;
  grow: (pages: number) => number;
}

async function startPython(): Promise<PyodideInterface> {
  const pyodide = await loadPyodide({
    indexURL: `${dirname(createRequire(import.meta.url).resolve('pyodide/package.json'))}/`,
    env: environment,
    ...(options.snapshot !== undefined && { _loadSnapshot: readFileSync(options.snapshot) }),
    ...(options.packages !== undefined && {
      packageBaseUrl: `${options.packages}/`,
      packageCacheDir: options.packages,
      lockFileURL: `${options.packages}/pyodide-lock.json`,
    }),
  });
  for (const stream of streams) {
    const to = { write: (bytes: Uint8Array) => (write(stream, bytes), bytes.length), isatty: false };
    if (stream === 'stdout') pyodide.setStdout(to);
    else pyodide.setStderr(to);
  }
  if (existsSync(TIME_ZONES)) pyodide.mountNodeFS(TIME_ZONES, TIME_ZONES);
  // All that begin with one snapshot would draw the same numbers.
  if (options.snapshot !== undefined) pyodide.runPython('__import__("random").seed()');
  pyodide.setInterruptBuffer(signalsOf(memory));
  return pyodide;
}

/** The kernel's own code lies apart from the names of cells. */
function startKernel(): Kernel {
  // With a folder of packages, what a cell imports is taken from there first.
  const load = options.packages === undefined ? undefined : loadPackages;
  const own = python.toPy({ __name__: '_kernel' }) as PyDict;
  const bridge = python.toPy({}) as PyDict;
  const words = { no_shell: NO_SHELL, no_packages: NO_PACKAGES, packages: JSON.stringify(packageVersions()) };
  for (const [name, given] of Object.entries({
    publish,
    folderChanged,
    sleep,
    ask,
    load,
    begun,
    parent: parentText,
    ...words,
  }))
    bridge.set(name, given);
  own.set('_bridge', bridge);
  for (const file of [
    'python/magics.py',
    'python/comms.py',
    'python/history.py',
    'python/display.py',
    '../../jupyter/working_folder.py',
    'python/kernel.py',
  ]) {
    const code = readFileSync(new URL(file, import.meta.url), 'utf8');
    python.runPython(code, { globals: own, filename: `<kernel ${file}>` });
  }
  return (own.get('start') as unknown as () => Kernel)();
}

/** With those that `%pip install` names; who reads the code says which of them are here. */
async function loadPackages(code: string, named: string): Promise<void> {
  const silent = { messageCallback: () => undefined };
  await python.loadPackagesFromImports(code, silent);
  const names = JSON.parse(named) as string[];
  if (names.length > 0) await python.loadPackage(names, silent);
}

/** Of the packages that a kernel may have, by their names. */
function packageVersions(): Record<string, string> {
  if (options.packages === undefined) return {};
  const { packages } = JSON.parse(readFileSync(`${options.packages}/pyodide-lock.json`, 'utf8')) as {
    readonly packages: Record<string, { readonly name: string; readonly version: string }>;
  };
  return Object.fromEntries(Object.entries(packages).map(([name, { version }]) => [name, version]));
}
