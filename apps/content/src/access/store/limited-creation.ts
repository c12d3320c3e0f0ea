import type { DomainError } from '@platform-backend/core';
import { withoutLimits, type Database, type Filter, type RecordOf } from '@platform-backend/mongo';
import type { accessCollections } from './access-collections.ts';

/** Of how many things an organisation has up to `max`, whoever may open them. */
interface CreationLimit {
  readonly max: number;
  /** What is said of one more. */
  readonly refusal: (values: { readonly max: number }) => DomainError;
}

/**
 * Makes one more thing of a collection of which an organisation has a limited number: counted and made in one transaction, with a record
 * that every such transaction of the organisation changes. So of two at the same moment one comes after the other, and counts it. Where not
 * all of them count, only those that are as `counted` says.
 */
export function limitedCreation(
  database: Database,
  collection: string,
  counted: (organisationId: string) => Filter = () => ({}),
) {
  const things = database.model<{ _id: string }>(collection);
  const limits = database.model<RecordOf<(typeof accessCollections)['limitedCollections']>>('limitedCollections');
  return async <Result>(
    organisationId: string,
    { max, refusal }: CreationLimit,
    create: () => Promise<Result>,
  ): Promise<Result> => {
    const _id = `${organisationId}:${collection}`;
    // Not in the transaction: two that insert the same would collide for good.
    await database.tenant(organisationId, () =>
      limits.updateOne({ _id }, { $setOnInsert: { created: 0 } }, { upsert: true }).exec(),
    );
    return database.transaction(organisationId, async () => {
      await limits.updateOne({ _id }, { $inc: { created: 1 } }).exec();
      const count = await withoutLimits(() =>
        database.tenant(organisationId, () => things.countDocuments(counted(organisationId)).exec()),
      );
      if (count >= max) throw refusal({ max });
      return create();
    });
  };
}
