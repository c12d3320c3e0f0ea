import { beginningOf } from '@platform-backend/core';
import type { GuestOptions, Sandbox } from '@platform-backend/sandbox';
import { open } from 'node:fs/promises';
import type { Duplex, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Passage } from '../../passages/domain/passage.ts';
import { ExtractionFailure, type Extracted, type ExtractOptions, type FileToExtract } from '../domain/extraction.ts';
import type { Ocr, PictureFile } from '../domain/ocr.ts';
import { extractionFailures } from './extraction-failures.ts';
import { frameOf, nextFrame } from './frames.ts';
import { limits } from './limits.ts';
import {
  isReadReport,
  READER_PIPE,
  REPORT_BYTES,
  TEXT_PIECE,
  type ExtractedFacts,
  type PassageRow,
  type PictureRow,
  type PictureText,
  type ReadCommand,
  type ReadReport,
} from './messages.ts';

export interface ReaderLimits {
  /** Milliseconds that one document may take, before its pictures are read and once more after. */
  readonly deadlineMs: number;
  /** Of JavaScript alone. */
  readonly heapMegabytes: number;
  /** Of the whole process, where the system tells (Linux). */
  readonly memoryMegabytes: number;
}

/** What a process of readers is started in, and with. */
export interface ReaderHome {
  readonly sandbox: Sandbox;
  /** What V8 has compiled of its code, which it may read; without it each process compiles that anew. */
  readonly compiled?: string | undefined;
  /** What it runs. */
  readonly module?: string;
}

/** A process of its own that reads one document at a time. Whatever happens to it is a failure of that document. */
export interface Reader {
  readonly read: (file: FileToExtract, options: ExtractOptions) => Promise<Extracted>;
  /** Whether it can be given another document. */
  readonly isUsable: () => boolean;
  readonly end: () => void;
}

/** `ocr` reads pages that are pictures, which the process of the reader asks for. */
export function startReader(
  home: ReaderHome,
  { deadlineMs, heapMegabytes, memoryMegabytes }: ReaderLimits,
  ocr?: Ocr,
): Reader {
  let usable = true;
  let tooMuchMemory = false;
  const child = startReaderProcess(home, {
    heapMegabytes,
    memoryBytes: memoryMegabytes * 2 ** 20,
    onTooMuchMemory: () => (tooMuchMemory = true),
    // Of all that it reads in its life, by several threads.
    cpuSeconds: 4 * Math.ceil(deadlineMs / 1000),
    fileBytes: 0,
    // Whoever waits for an answer of the service comes first.
    niceness: 10,
  });
  const pipe = child.stdio[READER_PIPE] as Duplex;
  const end = (): void => {
    usable = false;
    child.kill('SIGKILL');
    pipe.destroy();
  };
  child.once('exit', () => (usable = false));
  child.once('error', end);
  // Whoever reads a document hears why it ended; a pipe that breaks says nothing more.
  pipe.on('error', () => undefined);

  async function read(file: FileToExtract, options: ExtractOptions): Promise<Extracted> {
    const { signal } = options;
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
      const ended = (code: number | null, by: NodeJS.Signals | null): void => {
        const how = by ?? signalsOfStatus.get(code ?? 0) ?? String(code);
        if (tooMuchMemory || how === 'SIGABRT') stop(extractionFailures.tooComplex());
        else if (how === 'SIGXCPU') stop(extractionFailures.tooSlow());
        else stop(extractionFailures.readerFailed(new Error(`ended by ${how}`)));
      };
      const failed = (error: unknown): void => stop(extractionFailures.readerFailed(error));
      const aborted = (): void => stop(signal.reason);
      const startDeadline = () => setTimeout(() => stop(extractionFailures.tooSlow()), deadlineMs);
      let deadline = startDeadline();
      const over = new AbortController();
      const readPictures = async (pages: readonly PictureRow[]): Promise<void> => {
        if (!ocr?.mediaTypes.includes(mediaType ?? '')) throw new Error('a reader asks for pictures that nobody reads');
        // Meanwhile others work than the process.
        clearTimeout(deadline);
        await sendPictures({ ocr, pipe }, { path: file.path, mediaType: mediaType ?? '' }, pages, {
          ...options,
          signal: AbortSignal.any([signal, over.signal]),
        });
        if (!over.signal.aborted) deadline = startDeadline();
      };
      child.once('exit', ended).once('error', failed);
      signal.addEventListener('abort', aborted);
      if (signal.aborted) aborted();
      // While the file was opened nobody has heard it end.
      if (!usable) failed(new Error('it ended before it was given a document'));
      try {
        const { name, declaredType } = file;
        const command = { name, declaredType, bytes: size, ocr: ocr?.mediaTypes ?? [] } satisfies ReadCommand;
        pipe.write(frameOf(command));
        send(source.createReadStream({ end: size - 1, autoClose: false }), pipe).catch(failed);
        hear(pipe, { recognised: (recognised) => (mediaType = recognised), readPictures }).then(
          (extracted) => {
            if (extracted) answer.resolve(extracted);
          },
          (error: unknown) => (error instanceof ExtractionFailure ? answer.reject(error) : failed(error)),
        );
        return await answer.promise;
      } finally {
        over.abort();
        clearTimeout(deadline);
        signal.removeEventListener('abort', aborted);
        child.off('exit', ended).off('error', failed);
      }
    } finally {
      await source.close();
    }
  }

  return { read, isUsable: () => usable && !pipe.destroyed, end };
}

/** As a sandbox answers for what was ended by a signal in it. */
const signalsOfStatus = new Map<number, NodeJS.Signals>([
  [128 + 6, 'SIGABRT'],
  [128 + 24, 'SIGXCPU'],
]);

export const readerProcess = fileURLToPath(new URL('reader-process.ts', import.meta.url));
const ownCode = fileURLToPath(new URL('../../../', import.meta.url));
export const packages = fileURLToPath(new URL('../../../../../node_modules/', import.meta.url));

/**
 * It sees the code of this service and its packages, and nothing of the environment, where the secrets are. Without a sandbox
 * Node's own permissions are what is left, with which it uses no compiled code.
 */
export function startReaderProcess(
  { sandbox, compiled, module = readerProcess }: ReaderHome,
  { heapMegabytes, ...options }: Omit<GuestOptions, 'pipes' | 'args' | 'readable'> & { readonly heapMegabytes: number },
) {
  const permissions = ['--permission', `--allow-fs-read=${ownCode}`, `--allow-fs-read=${packages}`];
  return sandbox.spawn(process.execPath, {
    ...options,
    args: [
      `--max-old-space-size=${heapMegabytes}`,
      ...(sandbox.kind === 'none' ? permissions : []),
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=SecurityWarning',
      module,
    ],
    readable: [process.execPath, ownCode, packages, ...(compiled === undefined ? [] : [compiled])],
    environment: compiled === undefined || sandbox.kind === 'none' ? {} : { NODE_COMPILE_CACHE: compiled },
    pipes: 1,
  });
}

/** At the pace of the process. Once that has ended it takes all and keeps none. */
async function send(bytes: AsyncIterable<Buffer>, input: Writable): Promise<void> {
  for await (const chunk of bytes) await new Promise((resolve) => input.write(chunk, resolve));
}

/** At the pace of the process as well, which reads them one by one; a text beyond what a frame takes is cut. */
async function sendPictures(
  { ocr, pipe }: { readonly ocr: Ocr; readonly pipe: Duplex },
  file: PictureFile,
  rows: readonly PictureRow[],
  { organisationId, signal, ocrTimeoutMs = Infinity, onPicture }: ExtractOptions,
): Promise<void> {
  let read = 0;
  const pages = rows.map(([page, width, height]) => ({ page, width, height }));
  const onText = (text: string): void => {
    pipe.write(frameOf({ text: beginningOf(text, TEXT_PIECE) } satisfies PictureText));
    read += 1;
    onPicture?.(read, pages.length);
  };
  await ocr.readPages(file, pages, { organisationId, signal, timeoutMs: ocrTimeoutMs, onText });
}

interface Listener {
  readonly recognised: (mediaType: string) => void;
  readonly readPictures: (pages: readonly PictureRow[]) => Promise<void>;
}

/** Puts the pieces together as they come; undefined where the process ends first. Throws at what no reader says. */
async function hear(pipe: Duplex, { recognised, readPictures }: Listener): Promise<Extracted | undefined> {
  const texts: string[] = [];
  const rows: PassageRow[] = [];
  let length = 0;
  let asked = false;
  for (;;) {
    const report = await nextReport(pipe);
    if (report?.kind === 'text') {
      length += report.text.length;
      texts.push(report.text);
    } else if (report?.kind === 'passages') rows.push(...report.rows);
    else if (report?.kind === 'recognised') recognised(report.mediaType);
    else if (report?.kind === 'pictures' && !asked) {
      asked = true;
      await readPictures(report.pages);
    } else if (report?.kind === 'done') return extractedOf(texts.join(''), rows, report.facts);
    else if (report?.kind === 'failed') throw failureOf(report);
    else return undefined;
    if (length > limits.textLength || rows.length > limits.passages)
      throw new Error('a reader says more than a document may have');
  }
}

export async function nextReport(pipe: Duplex): Promise<ReadReport | undefined> {
  const report = await nextFrame(pipe, REPORT_BYTES);
  if (report !== undefined && !isReadReport(report)) throw new Error('a reader says what no reader says');
  return report;
}

const failureOf = ({ code, message, canRetry, mediaType, cause }: Extract<ReadReport, { readonly kind: 'failed' }>) =>
  new ExtractionFailure(code, message, { canRetry, mediaType, cause });

const extractedOf = (text: string, rows: readonly PassageRow[], facts: ExtractedFacts): Extracted => ({
  ...facts,
  text,
  passages: rows.map((row, ordinal) => passageOf(text, row, ordinal)),
});

const passageOf = (text: string, [start, end, page, heading]: PassageRow, ordinal: number): Passage => ({
  ordinal,
  text: text.slice(start, end),
  ...(page > 0 && { page }),
  ...(heading !== '' && { heading }),
  start,
  end,
});
