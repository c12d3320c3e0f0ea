import { fileNotFound } from './errors.ts';
import type { ObjectFacts, UploadHead } from './object-store.ts';
import type { Objects, StoredFile } from './open-objects.ts';

/** What awaits the bytes of one key. */
export interface UploadOwner {
  /** `gone`: it is not there, or awaits the bytes of another key by now. */
  readonly uploadState: () => Promise<'known' | 'expired' | 'gone'>;
  readonly notFound: () => Error;
  /** Takes note of the bytes, so that work on them begins. `maxBytes`: how many were allowed when the URL was made. */
  readonly recordUpload: (
    received: Required<ObjectFacts> & { readonly maxBytes: number },
    requestId: string,
  ) => Promise<void>;
}

export interface FileTransfers {
  /** Takes the bytes; what awaits them goes on by itself as soon as they are there. */
  uploadFile(
    ticket: string,
    head: UploadHead,
    body: AsyncIterable<Uint8Array>,
    requestId: string,
  ): Promise<Required<ObjectFacts>>;
  downloadFile(ticket: string): Promise<StoredFile>;
}

/**
 * What whoever has a ticket may do, where the platform itself keeps the bytes. `ownerOf`: undefined for a key whose bytes are
 * looked for by whoever needs them.
 */
export function fileTransfers(
  { store, localEndpoint }: Objects,
  ownerOf: (key: string) => UploadOwner | undefined,
): FileTransfers {
  const endpoint = () => {
    if (!localEndpoint) throw fileNotFound();
    return localEndpoint;
  };
  return {
    async uploadFile(ticket, head, body, requestId) {
      const permit = endpoint().readUpload(ticket);
      const owner = ownerOf(permit.key);
      if (owner && (await owner.uploadState()) === 'gone') throw owner.notFound();
      const received = await endpoint().receive(permit, head, body);
      try {
        await owner?.recordUpload({ ...received, maxBytes: permit.maxBytes }, requestId);
      } catch (error) {
        // It has gone on without them.
        if ((await owner?.uploadState()) !== 'known') await store.remove([permit.key]);
        throw error;
      }
      return received;
    },

    downloadFile: async (ticket) => endpoint().open(ticket),
  };
}
