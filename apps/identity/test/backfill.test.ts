import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase, type Database, type Knex } from '@platform-backend/postgres';
import { migratedDatabase } from '@platform-backend/service/testing';
import type { ThrowawayPostgres } from '@platform-backend/testing';
import { up as whomKeysActedFor } from '../migrations/0010_whom_keys_acted_for.ts';
import { up as addressesInNormalForm } from '../migrations/0012_addresses_in_normal_form.ts';
import { up as auditChains } from '../migrations/0023_audit_chains.ts';
import { auditChainStore } from '../src/audit/store/audit-chain-store.ts';
import { service } from '../src/service.ts';

const logger = createLogger({ service: 'identity', level: 'silent' });
let postgres: ThrowawayPostgres;
let databases: Database[];
let superuser: Knex;
let owner: Knex;

beforeAll(async () => {
  postgres = await migratedDatabase(service);
  const urls = [postgres.adminUrl, postgres.ownerUrl];
  databases = urls.map((url) => openDatabase({ url, applicationName: 'test', logger }));
  [superuser, owner] = databases.map(({ knex }) => knex) as [Knex, Knex];
});
afterAll(async () => {
  await Promise.all(databases.map((database) => database.close()));
  await postgres.drop();
});

/** Puts the tables back to what they were before a migration, and runs it again over what is in them by then. */
const again = async (undo: string, up: (knex: Knex) => Promise<void>) => {
  await owner.raw(undo);
  await owner.transaction((trx) => up(trx));
};

const forced = async () => {
  const { rows } = await superuser.raw<{ rows: { relname: string }[] }>(
    `SELECT relname FROM pg_class WHERE relrowsecurity AND NOT relforcerowsecurity`,
  );
  return rows;
};

async function member(organisationId: string, userName: string, email: string) {
  const [userId, id] = [newId(), newId()];
  const at = new Date();
  await superuser('users').insert({
    ...{ id: userId, issuer: 'i', subject: userName, name: userName, email, email_verified: true },
    ...{ created_at: at, updated_at: at },
  });
  await superuser.raw(
    `INSERT INTO organisations VALUES (?, 'e', 'n', '', now(), 0, 'BASIC', 50, false, 'MONTHLY', now(), true, false)
     ON CONFLICT DO NOTHING`,
    [organisationId],
  );
  await superuser.raw(`INSERT INTO members SELECT ?, ?, ?, ?, lower(?), 'ADMIN', 'active', '', NULL, now()`, [
    id,
    organisationId,
    userId,
    email,
    email,
  ]);
  return { id, userId };
}

describe('what was stored before', () => {
  it('tells afterwards for whom keys have acted, in every organisation', async () => {
    const keys: { id: string; userId: string }[] = [];
    for (const name of ['Ada', 'Bob']) {
      const { id: memberId, userId } = await member(`org_${name}`, name, `${name}@x.example`);
      const id = newId();
      keys.push({ id, userId });
      await superuser.raw(`INSERT INTO api_keys SELECT ?, ?, ?, 'k', 'p', '{}', NULL, NULL, NULL, now()`, [
        id,
        `org_${name}`,
        memberId,
      ]);
      await superuser.raw(
        `INSERT INTO audit_entries
         SELECT gen_random_uuid(), :organisation, now(), type, id, 'n', 'a', 't', 'i', NULL, NULL, ''
         FROM (VALUES ('api_key', :key), ('user', :user)) AS actors (type, id)`,
        { organisation: `org_${name}`, key: id, user: userId },
      );
    }
    await again(
      'ALTER TABLE audit_entries DROP COLUMN on_behalf_of_user_id, DROP COLUMN on_behalf_of_user_name',
      whomKeysActedFor,
    );
    const entries = await superuser('audit_entries')
      .where({ actor_type: 'api_key' })
      .orderBy('on_behalf_of_user_name')
      .select('actor_id', 'on_behalf_of_user_id', 'on_behalf_of_user_name');
    expect(entries).toEqual(
      ['Ada', 'Bob'].map((name, index) => ({
        actor_id: keys[index]?.id,
        on_behalf_of_user_id: keys[index]?.userId,
        on_behalf_of_user_name: name,
      })),
    );
    expect(await superuser('audit_entries').where({ actor_type: 'user' }).whereNotNull('on_behalf_of_user_id')).toEqual(
      [],
    );
    expect(await forced()).toEqual([]);
  });

  it('compares addresses as what is stored from now on does, for whichever organisation', async () => {
    const { userId, id } = await member('org_Cy', 'Cy', ' Jo\u0308rg@MÜNCHEN.de');
    await member('org_Dan', 'Dan', 'Dan@x.example');
    await superuser.raw(
      `INSERT INTO client_groups (id, organisation_id, name, description, archived, is_default, usage, usage_version,
         asset_access, folder_access, file_access, created_at)
       SELECT gen_random_uuid(), 'org_Cy', name, '', false, name = 'default', '{}', 0, '[]', '[]', '[]', now()
       FROM unnest(ARRAY['default', 'clients']) AS name`,
    );
    await superuser.raw(
      `INSERT INTO client_members (id, organisation_id, group_id, name, created_at, email, status, folder_access, file_access)
       SELECT gen_random_uuid(), organisation_id, id, 'n', now(), 'jörg@münchen.de', 'active', '[]', '[]'
       FROM client_groups WHERE name = 'clients'`,
    );
    await again(
      `ALTER TABLE users DROP COLUMN normal_email;
       ALTER TABLE client_members DROP COLUMN normal_email;
       CREATE INDEX client_members_of_email ON client_members (organisation_id);
       CREATE UNIQUE INDEX client_members_one_per_email ON client_members (group_id, lower(email))`,
      addressesInNormalForm,
    );
    const normal = 'jörg@xn--mnchen-3ya.de';
    expect(await superuser('users').where({ id: userId }).first('normal_email')).toEqual({ normal_email: normal });
    expect(await superuser('members').where({ id }).first('normal_email')).toEqual({ normal_email: normal });
    expect(await superuser('client_members').select('normal_email')).toEqual([{ normal_email: normal }]);
    expect(await superuser('users').where({ name: 'Dan' }).first('normal_email')).toEqual({ normal_email: null });
    const { rows } = await superuser.raw<{ rows: object[] }>(
      `SELECT g.name FROM user_of_token('i', 'Cy') t JOIN client_groups g ON g.id = t.client_group_id`,
    );
    expect(rows).toEqual([{ name: 'clients' }]);
    expect(await forced()).toEqual([]);
  });

  it('of the audit log is chained by its age, organisation by organisation', async () => {
    const insert = (organisationId: string, minute: number) =>
      superuser.raw(
        `INSERT INTO audit_entries (id, organisation_id, created_at, actor_type, actor_id, actor_name, action, target_type, target_id, request_id)
         VALUES (gen_random_uuid(), :organisationId, timestamptz '2026-05-01' + :minute * interval '1 min', 'user', 'u', 'n', 'a', 't', 'i', '')`,
        { organisationId, minute },
      );
    await again(
      `DROP TRIGGER audit_entries_chained ON audit_entries;
       DROP FUNCTION chain_new_audit_entry, chain_audit_entry, audit_entry_text;
       DROP POLICY opened_by_app_audit_log ON audit_entries;
       DROP TABLE audit_chains, audit_chain_links`,
      async (knex) => {
        await knex.raw(`SELECT set_config('platform.app_role', ?, true)`, [new URL(postgres.appUrl).username]);
        for (const minute of [3, 1, 2]) await insert('org_Eve', minute);
        for (let minute = 0; minute < 300; minute += 1) await insert('org_Gus', minute);
        await insert('org_Fay', 1);
        await auditChains(knex);
      },
    );
    // One version of each head, and not one for each entry, through all of which every further entry would have to go.
    const { rows: size } = await superuser.raw<{ rows: object[] }>(
      `SELECT pg_relation_size('audit_chains') = current_setting('block_size')::int AS is_one_block`,
    );
    expect(size).toEqual([{ is_one_block: true }]);
    await insert('org_Eve', 0);
    const { rows } = await superuser.raw<{ rows: { minute: number }[] }>(
      `SELECT extract(minute FROM created_at)::int AS minute FROM audit_chain_links link
       JOIN audit_entries entry ON entry.id = link.entry_id WHERE link.organisation_id = 'org_Eve' ORDER BY sequence`,
    );
    expect(rows.map(({ minute }) => minute)).toEqual([1, 2, 3, 0]);
    const database = openDatabase({ url: postgres.appUrl, applicationName: 'test', logger });
    const chains = auditChainStore(database);
    for (const id of await chains.organisations())
      expect(await chains.verify(id)).toMatchObject({ organisationId: id, broken: null });
    await database.close();
    expect(await forced()).toEqual([]);
  });
});
