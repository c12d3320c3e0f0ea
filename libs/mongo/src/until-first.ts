import type { Fields } from '@platform-backend/core';
import type { Database } from './database.ts';

export interface FirstDocument {
  /** With an index by that field, of the documents that have it. */
  readonly collection: string;
  /** A moment, also of an embedded document: `turn.leasedUntil`. */
  readonly field: string;
}

/** How many milliseconds after `at` the first document is due; below 0 where it has been due before, undefined where there is none. */
export const untilFirst = (
  database: Database,
  { collection, field }: FirstDocument,
  at: Date,
): Promise<number | undefined> =>
  database.acrossOrganisations(async () => {
    const found = await database
      .model<object>(collection)
      .findOne({ [field]: { $exists: true } }, { [field]: 1 })
      .sort({ [field]: 1 })
      .lean()
      .exec();
    const first = field
      .split('.')
      .reduce<unknown>((within, name) => (within as Fields | null | undefined)?.[name], found);
    return first instanceof Date ? first.getTime() - at.getTime() : undefined;
  });

/** For how many seconds the first document has been due at this moment; 0: none is. */
export const overdueSeconds = async (...first: Parameters<typeof untilFirst>): Promise<number> =>
  Math.max(0, -((await untilFirst(...first)) ?? 0)) / 1000;
