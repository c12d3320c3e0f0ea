import { ExtractionFailure, type ExtractDocument } from '../domain/extraction.ts';
import { extractionFailures } from './extraction-failures.ts';
import { startReader, type Reader, type ReaderLimits } from './reader.ts';

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
}

const usual: ReadersOptions = {
  processes: 2,
  maxWaiting: 200,
  deadlineMs: 120_000,
  heapMegabytes: 512,
  memoryMegabytes: 1_024,
  idleMs: 30_000,
  documentsOfOne: 200,
};

interface Idle {
  readonly reader: Reader;
  readonly documents: number;
  readonly timer: NodeJS.Timeout;
}

/** Documents are read in a few processes, which are there only while they are needed. */
export function documentReaders(options: Partial<ReadersOptions> = {}): DocumentReaders {
  const { processes, maxWaiting, idleMs, documentsOfOne, ...limits } = { ...usual, ...options };
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

  function freshOrIdle(): { reader: Reader; documents: number } {
    for (let last = idle.pop(); last; last = idle.pop()) {
      clearTimeout(last.timer);
      if (last.reader.isUsable()) return last;
    }
    return { reader: startReader(limits), documents: 0 };
  }

  function putBack(reader: Reader, documents: number): void {
    if (closed || !reader.isUsable() || documents >= documentsOfOne) {
      reader.end();
      return;
    }
    const timer = setTimeout(() => {
      idle.splice(idle.indexOf(entry), 1);
      reader.end();
    }, idleMs);
    timer.unref();
    const entry = { reader, documents, timer };
    idle.push(entry);
  }

  return {
    extract: async (file, { signal }) => {
      signal.throwIfAborted();
      await enter(signal);
      try {
        if (stopped()) throw extractionFailures.busy();
        const { reader, documents } = freshOrIdle();
        working.add(reader);
        try {
          return await reader.read(file, signal);
        } catch (error) {
          throw stopped() && !(error instanceof ExtractionFailure && !error.canRetry)
            ? extractionFailures.busy()
            : error;
        } finally {
          working.delete(reader);
          putBack(reader, documents + 1);
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
