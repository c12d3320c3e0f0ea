import { cpuMsOf, memoryBytesOf, type Sandbox } from '@platform-backend/sandbox';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { KernelMessage } from '../../domain/kernel-provider.ts';
import { decodeFrame, encodeFrame } from '../../domain/message-frame.ts';
import { GUEST_NICENESS } from '../guest-niceness.ts';
import type { KernelRun, Receive } from '../kernel-run.ts';
import { descriptors, TIME_ZONES, words, type GuestOptions } from './guest/options.ts';
import { piecesOf, sendPiece } from './guest/pipe.ts';

export interface GuestProcess extends Omit<KernelRun, 'ended'> {
  /** Why it ended. */
  readonly ended: Promise<string>;
  /** What comes before this is called waits in the guest. */
  readonly receive: (receive: Receive) => void;
}

export interface GuestProcessOptions extends GuestOptions {
  readonly sandbox: Sandbox;
  readonly memoryBytes: number;
  /** How long it may take until Python is ready. */
  readonly startTimeoutMs: number;
  /** Ends it, ready or not. */
  readonly signal: AbortSignal;
}

const own = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const program = fileURLToPath(new URL('guest/main.ts', import.meta.url));
const pyodide = createRequire(import.meta.url).resolve('pyodide/package.json');
const webSockets = createRequire(pyodide).resolve('ws/package.json');
/** What V8 says where it comes upon the end of its stack in the middle of Python. */
const TOO_DEEP = 'Maximum call stack size exceeded';
/** Everything that a guest sees: its program, Pyodide with what it imports, and what makes Node take files for modules. */
const readable = [
  own('guest/'),
  own('../jupyter/'),
  own('../../domain/message-frame.ts'),
  own('../../../../package.json'),
  dirname(pyodide),
  dirname(webSockets),
  ...(existsSync(TIME_ZONES) ? [TIME_ZONES] : []),
];

/** Starts a guest and waits until Python is ready in it. */
export async function startGuest({
  sandbox,
  memoryBytes,
  startTimeoutMs,
  signal,
  ...options
}: GuestProcessOptions): Promise<GuestProcess> {
  signal.throwIfAborted();
  let tooMuchMemory = false;
  const child = sandbox.spawn(process.execPath, {
    // No channel of Node's own: what a guest writes there would be read without limit, and as JSON or worse.
    args: ['--max-old-space-size=128', '--disable-warning=ExperimentalWarning', program, JSON.stringify(options)],
    readable: [
      process.execPath,
      ...readable,
      ...[options.packages, options.snapshot].filter((path) => path !== undefined),
    ],
    memoryBytes,
    onTooMuchMemory: () => (tooMuchMemory = true),
    niceness: GUEST_NICENESS,
    output: 'pipe',
    pipes: 2,
  });
  let lastWords = '';
  child.stdout?.resume();
  child.stderr?.setEncoding('latin1').on('data', (text: string) => (lastWords = (lastWords + text).slice(-500)));
  const messages = child.stdio[descriptors.messages] as Socket;
  const interrupts = child.stdio[descriptors.interrupts as 4] as Socket;
  // A pipe that breaks says nothing that the end of the process does not say.
  for (const pipe of [messages, interrupts]) pipe.on('error', () => undefined);
  let broken: string | undefined;
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`Its process could not be started: ${error.message}`));
    child.once('exit', (code, signal) => {
      messages.destroy();
      interrupts.destroy();
      const megabytes = Math.floor(memoryBytes / 2 ** 20);
      if (tooMuchMemory) resolve(`It held more than ${megabytes} MiB of memory`);
      else if (broken === undefined && lastWords.includes(TOO_DEEP)) resolve('It called deeper than there is room for');
      else
        resolve(
          broken ?? `Its process ended (${signal ?? String(code)})${lastWords === '' ? '' : `: ${lastWords.trim()}`}`,
        );
    });
  });

  function breakOff(reason: string): void {
    broken ??= reason;
    child.kill('SIGKILL');
  }

  async function read(receive: Receive): Promise<void> {
    try {
      for await (const piece of piecesOf(messages)) await receive(decodeFrame(piece));
    } catch {
      breakOff('It sent what is no message');
    }
  }

  const stop = (): void => breakOff('It was ended');
  signal.addEventListener('abort', stop);
  void ended.then(() => signal.removeEventListener('abort', stop));
  const heard = heardOn(interrupts);
  const ready = Promise.race([heard.next(words.ready), ended.then((reason) => Promise.reject(new Error(reason)))]);
  const timer = setTimeout(() => breakOff('It took too long to start'), startTimeoutMs);
  try {
    await ready;
  } finally {
    clearTimeout(timer);
  }

  return {
    ended,
    receive: (receive) => void read(receive),
    async send(message: KernelMessage) {
      await sendPiece(messages, encodeFrame(message));
    },
    async interrupt() {
      const stopped = heard.next(words.stopped);
      interrupts.write(Buffer.of(words.interrupt));
      await Promise.race([stopped, ended]);
    },
    cpuMs: () => cpuMsOf(child.pid),
    memoryBytes: () => memoryBytesOf(child.pid),
    async end() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Single bytes, of which nothing is kept but who waits for them. */
function heardOn(pipe: Socket): { readonly next: (word: number) => Promise<void> } {
  const waiting = new Map<number, (() => void)[]>();
  pipe.on('data', (bytes: Buffer) => {
    for (const [word, callers] of waiting) {
      if (!bytes.includes(word)) continue;
      waiting.delete(word);
      for (const go of callers) go();
    }
  });
  return {
    next: async (word) => await new Promise((resolve) => waiting.set(word, [...(waiting.get(word) ?? []), resolve])),
  };
}
