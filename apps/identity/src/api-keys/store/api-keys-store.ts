import { changesIn, columns, listPage, readOnlyColumn, type Database, type Knex } from '@platform-backend/postgres';
import { recordEvents } from '../../audit/store/record-events.ts';
import { memberNotFound } from '../../members/domain/errors.ts';
import { memberColumns, membersWithUsers } from '../../members/store/member-rows.ts';
import type { ApiKey, NamedClientGroup } from '../domain/api-key.ts';
import type { ApiKeys, KeyUse } from '../domain/api-keys.ts';
import { apiKeyNotFound } from '../domain/errors.ts';

const keyColumns = columns<Omit<ApiKey, 'secrets'>>({
  id: 'id',
  memberId: 'member_id',
  userId: readOnlyColumn('user_id'),
  name: 'name',
  prefix: 'prefix',
  scopes: 'scopes',
  clientGroupId: 'client_group_id',
  expiresAt: 'expires_at',
  revokedAt: 'revoked_at',
  // Written by `recordUses`.
  lastUsedAt: readOnlyColumn('last_used_at'),
  createdAt: 'created_at',
});

/** API keys in PostgreSQL. */
export function apiKeysStore(database: Database): ApiKeys {
  const changes = changesIn(database, recordEvents);

  return {
    add: (by, clientGroupId, decide) =>
      changes.update(by, decide, {
        load: async (trx) => {
          // Locked, so that nobody is removed while their key is being made.
          const [row] = await membersWithUsers(trx)
            .where({ 'members.organisation_id': by.organisationId, 'members.user_id': by.actor.userId })
            .whereNot('members.status', 'removed')
            .forShare('members');
          if (!row) throw memberNotFound();
          return memberColumns.read(row);
        },
        lookUp: (trx) => lockedGroup(trx, by.organisationId, clientGroupId),
        save: async (trx, key) => {
          await trx('api_keys').insert({ ...keyColumns.write(key), organisation_id: by.organisationId });
          await saveSecrets(trx, by.organisationId, key);
        },
      }),

    update: (by, { keyId, clientGroupId = null }, decide) =>
      changes.update(by, decide, {
        load: async (trx) => {
          const [row] = await keys(trx, by.organisationId).where('api_keys.id', keyId).forUpdate('api_keys');
          if (!row) throw apiKeyNotFound();
          return { ...keyColumns.read(row), secrets: await loadSecrets(trx, by.organisationId, keyId) };
        },
        lookUp: (trx) => lockedGroup(trx, by.organisationId, clientGroupId),
        save: async (trx, key) => {
          const named = { organisation_id: by.organisationId, id: keyId };
          await trx('api_keys').where(named).update(keyColumns.write(key));
          await saveSecrets(trx, by.organisationId, key);
        },
      }),

    get: (organisationId, keyId) =>
      database.tenant(organisationId, async (trx) => {
        const [row] = await keys(trx, organisationId).where('api_keys.id', keyId).whereNull('api_keys.revoked_at');
        if (!row) throw apiKeyNotFound();
        return keyWithoutSecrets(row);
      }),

    list: (organisationId, userId, page) =>
      database.tenant(organisationId, (trx) => {
        const live = keys(trx, organisationId).whereNull('api_keys.revoked_at');
        return listPage(userId === undefined ? live : live.where('members.user_id', userId), page, {
          order: 'desc',
          columns: { createdAt: 'api_keys.created_at', id: 'api_keys.id' },
          read: (rows) => rows.map(keyWithoutSecrets),
        });
      }),

    recordUses: async (uses) => {
      for (const [organisationId, ofOrganisation] of Map.groupBy(uses, (use) => use.organisationId)) {
        await database.tenant(organisationId, (trx) => moveLastUsed(trx, ofOrganisation));
      }
    },
  };
}

/** Keys together with the user each acts for. */
const keys = (trx: Knex.Transaction, organisationId: string) =>
  trx('api_keys')
    .join('members', 'members.id', 'api_keys.member_id')
    .where('api_keys.organisation_id', organisationId)
    .select<object[]>('api_keys.*', 'members.user_id');

const keyWithoutSecrets = (row: object): ApiKey => ({ ...keyColumns.read(row), secrets: [] });

/** Locked, so that it is not archived while a key is being given to it. */
async function lockedGroup(
  trx: Knex.Transaction,
  organisationId: string,
  groupId: string | null,
): Promise<NamedClientGroup | undefined> {
  if (groupId === null) return undefined;
  return trx<{ organisation_id: string; id: string; archived: boolean }>('client_groups')
    .where({ organisation_id: organisationId, id: groupId })
    .forShare()
    .first('archived');
}

interface SecretRow {
  hash: Buffer;
  organisation_id: string;
  api_key_id: string;
  valid_until: Date | null;
  created_at: Date;
}

async function loadSecrets(trx: Knex.Transaction, organisationId: string, keyId: string): Promise<ApiKey['secrets']> {
  const rows = await trx<SecretRow>('api_key_secrets')
    .where({ organisation_id: organisationId, api_key_id: keyId })
    .orderBy('created_at', 'desc');
  return rows.map(({ hash, valid_until }) => ({ hash: hash.toString('hex'), validUntil: valid_until }));
}

async function saveSecrets(trx: Knex.Transaction, organisationId: string, key: ApiKey): Promise<void> {
  const ofKey = { organisation_id: organisationId, api_key_id: key.id };
  const rows = key.secrets.map(({ hash, validUntil }) => ({
    ...ofKey,
    hash: Buffer.from(hash, 'hex'),
    valid_until: validUntil,
    created_at: trx.fn.now(3),
  }));
  const kept = rows.map(({ hash }) => hash);
  await trx('api_key_secrets').where(ofKey).whereNotIn('hash', kept).delete();
  if (rows.length > 0) await trx('api_key_secrets').insert(rows).onConflict('hash').merge(['valid_until']);
}

async function moveLastUsed(trx: Knex.Transaction, uses: readonly KeyUse[]): Promise<void> {
  await trx.raw(
    `UPDATE api_keys SET last_used_at = used.at
     FROM unnest(?::uuid[], ?::timestamptz[]) AS used (id, at)
     WHERE api_keys.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)`,
    [uses.map(({ apiKeyId }) => apiKeyId), uses.map(({ at }) => at)],
  );
}
