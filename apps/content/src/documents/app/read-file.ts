import { fairSemaphore, type FairSemaphore } from '@platform-backend/core';
import type { ExtractDocument } from '../domain/extraction.ts';
import type { Files } from '../domain/files.ts';

/** A file that comes with a request and becomes no document. */
export interface InlineFile {
  readonly name: string;
  /** As its client says. */
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

interface ReadFilePorts {
  readonly files: Pick<Files, 'withTemporary'>;
  readonly extract: ExtractDocument;
  /** Of those who read: organisations take turns, and leave one to documents. */
  readonly slots: FairSemaphore;
}

/**
 * What a file says that is kept nowhere, read as documents are: apart, of one organisation. Rejects with an `ExtractionFailure`, or with the
 * reason of the signal. UNAVAILABLE: too many wait.
 */
export const readFile =
  ({ files, extract, slots }: ReadFilePorts) =>
  async (
    organisationId: string,
    { name, mediaType: declaredType, bytes }: InlineFile,
    signal: AbortSignal,
  ): Promise<string> => {
    const tenant = await slots.acquire('tenants', organisationId, signal);
    try {
      return await files.withTemporary(bytes, async (path) => {
        const options = { organisationId, signal, ocrTimeoutMs: OCR_TIMEOUT_MS };
        return (await extract({ path, name, declaredType }, options)).text;
      });
    } finally {
      slots.release(tenant);
    }
  };

/** How long its pages that are pictures are read, in milliseconds, likewise; those that are left have no text. */
const OCR_TIMEOUT_MS = 20_000;

/** How long a file waits to be read, in milliseconds: its client waits for an answer. */
const SLOT_TIMEOUT_MS = 30_000;

/** Where so many documents are read at once. */
export function fileSlots(readers: number): FairSemaphore {
  const slots = Math.max(1, readers - 1);
  const share = Math.max(1, slots - 1);
  return fairSemaphore({ slots, share, maxWaiting: 16, maxWaitingInAll: 64, timeoutMs: SLOT_TIMEOUT_MS });
}
