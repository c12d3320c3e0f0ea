import type { Reseal } from '@platform-backend/core/secret-box';
import type { OpenedMongo } from '@platform-backend/mongo/storage';
import { addressContext } from '../domain/imports.ts';

interface SealedItem {
  readonly _id: string;
  readonly organisationId: string;
  readonly sealedUrl: string;
}

/** So many are read, and those among them that change are written, at a time. */
const ITEMS_AT_ONCE = 200;

/** Has the addresses of all imports sealed anew that are kept. Each counts by itself, and one that is fetched meanwhile stays as that leaves it. */
export async function resealAddresses({ database }: Pick<OpenedMongo, 'database'>, reseal: Reseal): Promise<void> {
  const items = database.model<SealedItem>('documentImportItems');
  let last: string | undefined = '';
  while (last !== undefined) {
    const after: string = last;
    last = await database.acrossOrganisations(async () => {
      const found = await items
        .find({ _id: { $gt: after } }, { organisationId: 1, sealedUrl: 1 })
        .sort({ _id: 1 })
        .limit(ITEMS_AT_ONCE)
        .lean<SealedItem[]>()
        .exec();
      const writes = found.flatMap(({ _id, organisationId, sealedUrl }) => {
        const resealed = sealedUrl && reseal(sealedUrl, addressContext(organisationId, _id));
        if (resealed === sealedUrl) return [];
        return [{ updateOne: { filter: { _id, sealedUrl }, update: { $set: { sealedUrl: resealed } } } }];
      });
      if (writes.length > 0) await items.bulkWrite(writes);
      return found.length === ITEMS_AT_ONCE ? found.at(-1)?._id : undefined;
    });
  }
}
