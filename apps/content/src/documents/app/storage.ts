import type { ActorContext } from '@platform-backend/core';
import type { Documents, StorageUse } from '../domain/documents.ts';
import { storageQuotaExceeded } from '../domain/errors.ts';

export interface StoragePorts {
  readonly documents: Pick<Documents, 'storage'>;
  /** The most that documents of one organisation may take, in bytes; undefined: as much as there is. */
  readonly maxStorageBytes: number | undefined;
}

/** What documents of an organisation may take. */
export const storageRoom = ({ documents, maxStorageBytes }: StoragePorts) => ({
  getStorage: async ({
    organisationId,
  }: ActorContext): Promise<StorageUse & { readonly maxBytes: number | undefined }> => ({
    ...(await documents.storage(organisationId)),
    maxBytes: maxStorageBytes,
  }),

  /**
   * How many of these bytes there is room for beside all that is kept but what this upload held before, at least one. Undefined: there is no limit. CONFLICT: there is
   * not even as much as is needed.
   */
  async roomFor(
    organisationId: string,
    { needed, wanted, held }: { readonly needed: number; readonly wanted: number; readonly held: number },
  ): Promise<number | undefined> {
    if (maxStorageBytes === undefined) return undefined;
    const { bytes } = await documents.storage(organisationId);
    const free = Math.max(0, maxStorageBytes - bytes + held);
    if (free < Math.max(1, needed)) throw storageQuotaExceeded({ free_bytes: free });
    return Math.min(free, wanted);
  },

  /**
   * Whether all that is there has room. Asked after one has come to be: of several who came at the same moment each is counted
   * by the last of them, so that they never take more together than there is.
   */
  isWithinRoom: async (organisationId: string): Promise<boolean> =>
    maxStorageBytes === undefined || (await documents.storage(organisationId)).bytes <= maxStorageBytes,
});
