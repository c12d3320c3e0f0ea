import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Passage } from '../../passages/domain/passage.ts';
import { ExtractionFailure, type Extracted, type FileToExtract } from '../domain/extraction.ts';
import { extractionFailures } from './extraction-failures.ts';
import { limits } from './limits.ts';
import { bytesDescriptor, type PassageRow, type ReadCommand, type ReadReport } from './messages.ts';

export interface ReaderLimits {
  /** Milliseconds that one document may take. */
  readonly deadlineMs: number;
  /** Of JavaScript alone. */
  readonly heapMegabytes: number;
  /** Of the whole process, where the system tells (Linux). */
  readonly memoryMegabytes: number;
}

/** A process of its own that reads one document at a time. Whatever happens to it is a failure of that document. */
export interface Reader {
  readonly read: (file: FileToExtract, signal: AbortSignal) => Promise<Extracted>;
  /** Whether it can be given another document. */
  readonly isUsable: () => boolean;
  readonly end: () => void;
}

export function startReader({ deadlineMs, heapMegabytes, memoryMegabytes }: ReaderLimits): Reader {
  const child = startProcess(heapMegabytes);
  const input = child.stdio[bytesDescriptor] as Writable;
  let usable = true;
  const end = (): void => {
    usable = false;
    child.kill('SIGKILL');
  };
  child.once('exit', () => (usable = false));
  child.once('error', end);
  // Whoever reads a document hears why it ended; a pipe that breaks says nothing more.
  input.on('error', () => undefined);

  async function read(file: FileToExtract, signal: AbortSignal): Promise<Extracted> {
    signal.throwIfAborted();
    const source = await open(file.path);
    try {
      const { size } = await source.stat();
      if (size === 0) throw extractionFailures.emptyFile();
      if (size > limits.fileBytes) throw extractionFailures.fileTooLarge();
      const answer = Promise.withResolvers<Extracted>();
      let mediaType: string | undefined;
      const stop = (reason: unknown): void => {
        end();
        answer.reject(reason instanceof ExtractionFailure ? reason.of(mediaType) : reason);
      };
      const collected = collect(answer, (recognised) => (mediaType = recognised));
      const crashed = (_code: number | null, by: NodeJS.Signals | null) =>
        stop(
          by === 'SIGABRT'
            ? extractionFailures.tooComplex()
            : extractionFailures.readerFailed(new Error(`ended by ${by ?? _code}`)),
        );
      const failed = (error: Error) => stop(extractionFailures.readerFailed(error));
      const aborted = (): void => stop(signal.reason);
      const deadline = setTimeout(() => stop(extractionFailures.tooSlow()), deadlineMs);
      const watch = watchMemory(child, memoryMegabytes, () => stop(extractionFailures.tooComplex()));
      child.on('message', collected).once('exit', crashed).once('error', failed);
      signal.addEventListener('abort', aborted);
      if (signal.aborted) aborted();
      try {
        const { path: _path, ...claimed } = file;
        child.send({ ...claimed, bytes: size } satisfies ReadCommand);
        const sent = send(source.createReadStream({ end: size - 1, autoClose: false }), input);
        sent.catch((error: unknown) => stop(extractionFailures.readerFailed(error)));
        return await answer.promise;
      } finally {
        clearTimeout(deadline);
        clearInterval(watch);
        signal.removeEventListener('abort', aborted);
        child.off('message', collected).off('exit', crashed).off('error', failed);
      }
    } finally {
      await source.close();
    }
  }

  return { read, isUsable: () => usable && child.connected, end };
}

const readerProcess = fileURLToPath(new URL('reader-process.ts', import.meta.url));
const ownCode = fileURLToPath(new URL('../../../', import.meta.url));
const packages = fileURLToPath(new URL('../../../../../node_modules/', import.meta.url));
const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));

/** It has nothing of the service's environment, where the secrets are, and ends with the service where Linux sees to it. */
function startProcess(heapMegabytes: number): ChildProcess {
  const node = [
    `--max-old-space-size=${heapMegabytes}`,
    '--permission',
    `--allow-fs-read=${ownCode}`,
    `--allow-fs-read=${packages}`,
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
  ];
  const child = fork(readerProcess, [], {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'pipe'],
    serialization: 'advanced',
    ...(setpriv === undefined
      ? { execArgv: node }
      : { execPath: setpriv, execArgv: ['--pdeathsig', 'KILL', '--', process.execPath, ...node] }),
  });
  // Whoever waits for an answer of the service comes first.
  if (child.pid !== undefined) setPriority(child.pid, 5);
  return child;
}

/** At the pace of the process. Once that has ended it takes all and keeps none. */
async function send(bytes: AsyncIterable<Buffer>, input: Writable): Promise<void> {
  for await (const chunk of bytes) await new Promise((resolve) => input.write(chunk, resolve));
}

/** Puts the pieces together as they come. */
function collect(
  { resolve, reject }: PromiseWithResolvers<Extracted>,
  recognised: (mediaType: string) => void,
): (report: ReadReport) => void {
  const texts: string[] = [];
  const rows: PassageRow[] = [];
  return (report) => {
    if (report.kind === 'recognised') recognised(report.mediaType);
    else if (report.kind === 'text') texts.push(report.text);
    else if (report.kind === 'passages') rows.push(...report.rows);
    else if (report.kind === 'done') {
      const text = texts.join('');
      resolve({ ...report.facts, text, passages: rows.map((row, ordinal) => passageOf(text, row, ordinal)) });
    } else {
      const { kind: _kind, code, message, ...known } = report;
      reject(new ExtractionFailure(code, message, known));
    }
  };
}

const passageOf = (text: string, [start, end, page]: PassageRow, ordinal: number): Passage => ({
  ordinal,
  text: text.slice(start, end),
  ...(page !== undefined && { page }),
  start,
  end,
});

/** What lies outside of the heap of JavaScript, such as bytes, has no limit but this one. */
function watchMemory({ pid }: ChildProcess, megabytes: number, onExceeded: () => void): NodeJS.Timeout {
  const look = async (): Promise<void> => {
    const status = await readFile(`/proc/${pid ?? 0}/status`, 'latin1').catch(() => '');
    const kibibytes = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
    if (kibibytes > megabytes * 1024) onExceeded();
  };
  return setInterval(() => void look(), 100);
}
