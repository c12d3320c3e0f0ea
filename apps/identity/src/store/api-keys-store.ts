import { notFound } from '@platform/core';
import type { Database, Knex } from '@platform/postgres';
import type { Acting } from '../domain/acting.ts';
import type { ApiKey, NamedClientGroup } from '../domain/api-keys/api-key.ts';
import type { ApiKeys, KeyAndGroup, KeyUse } from '../domain/api-keys/api-keys.ts';
import type { Decision } from '../domain/identity-event.ts';
import { listPage } from '@platform/postgres';
import { memberOfRow, membersWithUsers } from './member-rows.ts';
import { recordEvents } from './record-events.ts';

/** API keys in PostgreSQL. */
export const apiKeysStore = (database: Database): ApiKeys => ({
  add: (by, clientGroupId, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      // Locked, so that nobody is removed while their key is being made.
      const [row] = await membersWithUsers(trx)
        .where({ 'members.organisation_id': by.organisationId, 'members.user_id': by.actor.userId })
        .whereNot('members.status', 'removed')
        .forShare('members');
      if (!row) throw notFound('Member');
      const group = await lockedGroup(trx, by.organisationId, clientGroupId);
      const { state, events, result } = decide(memberOfRow(row), group);
      await trx('api_keys').insert({ ...rowOfKey(state), organisation_id: by.organisationId });
      await saveSecrets(trx, by.organisationId, state);
      await recordEvents(trx, by, events);
      return result;
    }),

  update: <Result>(
    by: Acting,
    { keyId, clientGroupId = null }: KeyAndGroup,
    decide: (key: ApiKey, group: NamedClientGroup | undefined) => Decision<ApiKey, Result>,
  ) =>
    database.tenant(by.organisationId, async (trx) => {
      const [row] = await keys(trx, by.organisationId).where('api_keys.id', keyId).forUpdate('api_keys');
      if (!row) throw notFound('API key');
      const key = keyOfRow(row, await loadSecrets(trx, by.organisationId, keyId));
      const group = await lockedGroup(trx, by.organisationId, clientGroupId);
      const { state, events, result } = decide(key, group);
      if (state !== key) {
        const { last_used_at: _lazilyWritten, ...changed } = rowOfKey(state);
        await trx('api_keys').where({ organisation_id: by.organisationId, id: keyId }).update(changed);
        await saveSecrets(trx, by.organisationId, state);
      }
      await recordEvents(trx, by, events);
      return result;
    }),

  get: (organisationId, keyId) =>
    database.tenant(organisationId, async (trx) => {
      const [row] = await keys(trx, organisationId).where('api_keys.id', keyId).whereNull('api_keys.revoked_at');
      if (!row) throw notFound('API key');
      return keyOfRow(row, []);
    }),

  list: (organisationId, userId, page) =>
    database.tenant(organisationId, (trx) => {
      const live = keys(trx, organisationId).whereNull('api_keys.revoked_at');
      return listPage(userId === undefined ? live : live.where('members.user_id', userId), page, {
        order: 'desc',
        columns: { createdAt: 'api_keys.created_at', id: 'api_keys.id' },
        read: (rows) => rows.map((row) => keyOfRow(row, [])),
      });
    }),

  recordUses: async (uses) => {
    for (const [organisationId, ofOrganisation] of Map.groupBy(uses, (use) => use.organisationId)) {
      await database.tenant(organisationId, (trx) => moveLastUsed(trx, ofOrganisation));
    }
  },
});

interface ApiKeyRow {
  id: string;
  member_id: string;
  user_id: string;
  name: string;
  prefix: string;
  scopes: string[];
  client_group_id: string | null;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}

interface SecretRow {
  hash: Buffer;
  organisation_id: string;
  api_key_id: string;
  valid_until: Date | null;
  created_at: Date;
}

/** Keys together with the user each acts for. */
const keys = (trx: Knex.Transaction, organisationId: string): Knex.QueryBuilder<object, ApiKeyRow[]> =>
  trx('api_keys')
    .join('members', 'members.id', 'api_keys.member_id')
    .where('api_keys.organisation_id', organisationId)
    .select('api_keys.*', 'members.user_id') as Knex.QueryBuilder<object, ApiKeyRow[]>;

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

async function loadSecrets(trx: Knex.Transaction, organisationId: string, keyId: string): Promise<SecretRow[]> {
  return trx<SecretRow>('api_key_secrets')
    .where({ organisation_id: organisationId, api_key_id: keyId })
    .orderBy('created_at', 'desc')
    .select('*');
}

async function saveSecrets(trx: Knex.Transaction, organisationId: string, key: ApiKey): Promise<void> {
  const rows = key.secrets.map(({ hash, validUntil }) => ({
    hash: Buffer.from(hash, 'hex'),
    organisation_id: organisationId,
    api_key_id: key.id,
    valid_until: validUntil,
    created_at: trx.fn.now(3),
  }));
  await trx('api_key_secrets')
    .where({ organisation_id: organisationId, api_key_id: key.id })
    .whereNotIn(
      'hash',
      rows.map(({ hash }) => hash),
    )
    .delete();
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

const keyOfRow = (row: ApiKeyRow, secrets: readonly SecretRow[]): ApiKey => ({
  id: row.id,
  memberId: row.member_id,
  userId: row.user_id,
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  clientGroupId: row.client_group_id,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
  createdAt: row.created_at,
  secrets: secrets.map(({ hash, valid_until }) => ({ hash: hash.toString('hex'), validUntil: valid_until })),
});

const rowOfKey = (key: ApiKey) => ({
  id: key.id,
  member_id: key.memberId,
  name: key.name,
  prefix: key.prefix,
  scopes: [...key.scopes],
  client_group_id: key.clientGroupId,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  last_used_at: key.lastUsedAt,
  created_at: key.createdAt,
});
