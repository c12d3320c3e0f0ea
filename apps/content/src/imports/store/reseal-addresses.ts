import type { Reseal } from '@platform-backend/core/secret-box';
import { resealField } from '@platform-backend/mongo';
import type { OpenedMongo } from '@platform-backend/mongo/storage';
import { addressContext } from '../domain/imports.ts';

/** Has the addresses of all imports sealed anew that are kept. */
export const resealAddresses = ({ database }: Pick<OpenedMongo, 'database'>, reseal: Reseal): Promise<void> =>
  resealField(database, { collection: 'documentImportItems', field: 'sealedUrl', contextOf: addressContext }, reseal);
