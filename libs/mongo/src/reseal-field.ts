import type { Database } from './database.ts';

export interface SealedField {
  readonly collection: string;
  readonly field: string;
  /** What it is sealed for. */
  readonly contextOf: (organisationId: string, id: string) => string;
  /** What changes with it, as an operator of MongoDB has it. */
  readonly also?: Readonly<Record<`$${string}`, object>>;
}

/** So many are read, and those among them that change are written, at a time. */
const DOCUMENTS_AT_ONCE = 100;

/**
 * Has a field of all documents sealed anew in the order of their ids: each counts by itself, and whoever begins again after a death finds the
 * rest. A document that somebody changes meanwhile stays as they leave it, and one without a secret as it is.
 */
export async function resealField(
  database: Database,
  { collection, field, contextOf, also }: SealedField,
  reseal: (sealed: string, context: string) => string,
): Promise<void> {
  const documents = database.model<Readonly<Record<string, string>> & { readonly _id: string }>(collection);
  for (let last: string | undefined = ''; last !== undefined;) {
    const after: string = last;
    last = await database.acrossOrganisations(async () => {
      const found = await documents
        .find({ _id: { $gt: after } }, { organisationId: 1, [field]: 1 })
        .sort({ _id: 1 })
        .limit(DOCUMENTS_AT_ONCE)
        .lean<Readonly<Record<string, string>>[]>()
        .exec();
      const writes = found.flatMap(({ _id = '', organisationId = '', [field]: sealed }) => {
        const resealed = sealed && reseal(sealed, contextOf(organisationId, _id));
        if (resealed === sealed) return [];
        return [{ updateOne: { filter: { _id, [field]: sealed }, update: { $set: { [field]: resealed }, ...also } } }];
      });
      if (writes.length > 0) await documents.bulkWrite(writes);
      return found.length === DOCUMENTS_AT_ONCE ? found.at(-1)?.['_id'] : undefined;
    });
  }
}
