import {
  type Extracted,
  type ExtractDocument,
  ExtractionFailure,
  type ExtractOptions,
  type FileToExtract,
} from '../domain/extraction.ts';
import type { Ocr } from '../domain/ocr.ts';
import { extractionFailures } from './extraction-failures.ts';
import { startReader, type Reader, type ReaderHome, type ReaderLimits } from './reader.ts';

export interface DocumentReaders {
  readonly extract: ExtractDocument;
  /** Ends all processes; whoever still waits is refused. */
  readonly close: () => void;
}

export interface ReadersOptions extends ReaderLimits {
  /** How many documents are read at once. */
  readonly processes: number;
  /** Further ones are refused. */
  readonly maxWaiting: number;
  /** Milliseconds after which a process without work ends. */
  readonly idleMs: number;
  /** After so many a process is replaced by a new one, so that nothing gathers in it. */
  readonly documentsOfOne: number;
  /** Reads pages that are pictures; undefined: nobody does. */
  readonly ocr: Ocr | undefined;
}

const usual: ReadersOptions = {
  ocr: undefined,
  processes: 2,
  maxWaiting: 200,
  deadlineMs: 120_000,
  heapMegabytes: 512,
  memoryMegabytes: 1_024,
  idleMs: 30_000,
  documentsOfOne: 200,
};

interface Used {
  readonly reader: Reader;
  readonly organisationId: string;
  /** That it has read, and how long that took in all. */
  readonly documents: number;
  readonly ms: number;
}

interface Idle extends Used {
  readonly timer: NodeJS.Timeout;
}

/**
 * Documents are read in a few processes, which are there only while they are needed. Each reads those of one organisation alone:
 * should a document take it over, it learns of no other's.
 */
export function documentReaders(
  home: () => Promise<ReaderHome>,
  options: Partial<ReadersOptions> = {},
): DocumentReaders {
  const { processes, maxWaiting, idleMs, documentsOfOne, ocr, ...limits } = { ...usual, ...options };
  const idle: Idle[] = [];
  const working = new Set<Reader>();
  const waiting = new Set<() => void>();
  let taken = 0;
  let closed = false;
  const stopped = () => closed;

  /** Waits for one of the slots. */
  async function enter(signal: AbortSignal): Promise<void> {
    if (taken < processes) {
      taken += 1;
      return;
    }
    if (waiting.size >= maxWaiting) throw extractionFailures.busy();
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const letIn = (): void => resolve(undefined);
    const giveUp = (): void => reject(signal.reason as Error);
    waiting.add(letIn);
    signal.addEventListener('abort', giveUp);
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
      waiting.delete(letIn);
    }
  }

  function leave(): void {
    const [next] = waiting;
    if (!next) {
      taken -= 1;
      return;
    }
    waiting.delete(next);
    next();
  }

  async function fresh(organisationId: string): Promise<Used> {
    const reader = startReader(await home(), limits, ocr);
    return { reader, organisationId, documents: 0, ms: 0 };
  }

  /** One that this organisation has used, for whose memory nobody else's has to go. */
  function takeIdle(organisationId: string): Used | undefined {
    const own = idle.findLast((one) => one.organisationId === organisationId && one.reader.isUsable());
    const leaving = own ?? (idle.length + taken > processes ? idle[0] : undefined);
    if (!leaving) return undefined;
    clearTimeout(leaving.timer);
    idle.splice(idle.indexOf(leaving), 1);
    if (own) return own;
    leaving.reader.end();
    return undefined;
  }

  function putBack(used: Used): void {
    const { reader, documents, ms } = used;
    // One that has worked for as long as a document may take would come to its limit of CPU within another.
    if (closed || !reader.isUsable() || documents >= documentsOfOne || ms >= limits.deadlineMs) {
      reader.end();
      return;
    }
    const timer = setTimeout(() => {
      idle.splice(idle.indexOf(entry), 1);
      reader.end();
    }, idleMs);
    timer.unref();
    const entry = { ...used, timer };
    idle.push(entry);
  }

  async function readBy(used: Used, file: FileToExtract, options: ExtractOptions): Promise<Extracted> {
    const { reader } = used;
    if (stopped()) {
      reader.end();
      throw extractionFailures.busy();
    }
    const began = performance.now();
    working.add(reader);
    try {
      return await reader.read(file, options);
    } catch (error) {
      throw stopped() && !(error instanceof ExtractionFailure && !error.canRetry) ? extractionFailures.busy() : error;
    } finally {
      working.delete(reader);
      putBack({ ...used, documents: used.documents + 1, ms: used.ms + performance.now() - began });
    }
  }

  return {
    extract: async (file, options) => {
      const { organisationId, signal } = options;
      signal.throwIfAborted();
      await enter(signal);
      try {
        const used = takeIdle(organisationId) ?? (await fresh(organisationId));
        try {
          return await readBy(used, file, options);
        } catch (error) {
          // What others have left in its process may be what was too much.
          const isOwn = used.documents === 0 || used.reader.isUsable() || !isOfProcess(error);
          if (isOwn || signal.aborted) throw error;
          return await readBy(await fresh(organisationId), file, options);
        }
      } finally {
        leave();
      }
    },
    close: () => {
      closed = true;
      for (const { reader, timer } of idle.splice(0)) {
        clearTimeout(timer);
        reader.end();
      }
      for (const reader of working) reader.end();
    },
  };
}

/** Whether the process has ended, and not for its time. */
const isOfProcess = (error: unknown): boolean =>
  error instanceof ExtractionFailure && (error.code === 'too_complex' || error.code === 'reader_failed');
