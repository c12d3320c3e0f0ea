import type { Logger } from '@platform-backend/core';
import type { Progress } from '../domain/document.ts';

/** Progress is told at once when a new stage begins, else at most so often, in milliseconds. */
const TELL_EVERY_MS = 2_000;

export interface RenewedLease {
  /** Aborted when the document was given to somebody else or taken away. */
  readonly lost: AbortSignal;
  readonly report: (progress: Progress) => void;
  /** No renewal is under way afterwards. */
  end(): Promise<void>;
}

/** Renews a lease as long as the work on it takes, and tells of the progress by the way. */
export function renewLease({
  everyMs,
  renew,
  logger,
}: {
  readonly everyMs: number;
  /** False: there is no lease any more. */
  readonly renew: (progress: Progress | undefined) => Promise<boolean>;
  readonly logger: Logger;
}): RenewedLease {
  const lost = new AbortController();
  let newest: Progress | undefined;
  let toldStage: string | undefined;
  let toldAt = 0;
  let ended = false;
  let last = Promise.resolve();

  const send = (): void => {
    last = last.then(async () => {
      if (ended || lost.signal.aborted) return;
      const progress = newest;
      newest = undefined;
      try {
        if (!(await renew(progress))) lost.abort(new Error('somebody else has the document now'));
      } catch (error) {
        // The lease lasts for two more attempts; should it run out, the work is done twice and settled once.
        logger.warn(
          { event: 'document_lease.renewal_failed', err: error },
          'the lease of a document could not be renewed',
        );
      }
    });
  };
  const timer = setInterval(send, everyMs);
  timer.unref();

  return {
    lost: lost.signal,
    report(progress) {
      newest = progress;
      const now = Date.now();
      if (progress.stage === toldStage && now - toldAt < TELL_EVERY_MS) return;
      toldStage = progress.stage;
      toldAt = now;
      send();
    },
    async end() {
      ended = true;
      clearInterval(timer);
      await last;
    },
  };
}
