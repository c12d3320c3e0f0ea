import type { Database } from '@platform-backend/postgres';
import { randomBytes } from 'node:crypto';

interface KeyRow {
  organisation_id: string;
  key: string;
}

/** The key with which previews of an organisation are signed; made when it is first wanted, and the same for ever. */
export const previewKeysStore =
  (database: Database) =>
  (organisationId: string): Promise<string> =>
    database.tenant(organisationId, async (trx) => {
      const mine = { organisation_id: organisationId };
      const known = await trx<KeyRow>('preview_keys').where(mine).first('key');
      if (known) return known.key;
      const made = { ...mine, key: randomBytes(32).toString('base64url') };
      await trx<KeyRow>('preview_keys').insert(made).onConflict().ignore();
      const row = await trx<KeyRow>('preview_keys').where(mine).first('key');
      return row?.key ?? made.key;
    });
