import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, unchanged, type ActorContext } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase, type Database } from '@platform-backend/postgres';
import { migratedDatabase } from '@platform-backend/service/testing';
import { waitFor, type ThrowawayPostgres } from '@platform-backend/testing';
import pg from 'pg';
import { apiKeysStore } from '../src/api-keys/store/api-keys-store.ts';
import { auditLogStore } from '../src/audit/store/audit-log-store.ts';
import { credentialsStore } from '../src/authentication/store/credentials-store.ts';
import { changeClientGroup } from '../src/client-groups/domain/change-client-group.ts';
import { clientGroupsStore } from '../src/client-groups/store/client-groups-store.ts';
import { memberOf, type Roster } from '../src/members/domain/roster.ts';
import { membersStore } from '../src/members/store/members-store.ts';
import { changeOrganisation } from '../src/organisations/domain/change-organisation.ts';
import { organisationsStore } from '../src/organisations/store/organisations-store.ts';
import { service } from '../src/service.ts';
import { clientMember, clientWorkspace } from './examples.ts';

const logger = createLogger({ service: 'identity', level: 'silent' });
const at = new Date();
const everything = { limit: 50, cursor: '', includeTotal: true };
let postgres: ThrowawayPostgres;
let admin: pg.Client;
let ids: Awaited<ReturnType<typeof exampleIds>>;
beforeAll(async () => {
  postgres = await migratedDatabase(service);
  admin = new pg.Client({ connectionString: postgres.adminUrl });
  await admin.connect();
  // In a session of its own, since filling tables reads them from end to end, and the server counts late.
  const filling = new pg.Client({ connectionString: postgres.adminUrl, application_name: 'filling' });
  await filling.connect();
  await filling.query(manyOrganisations);
  ids = await exampleIds(filling);
  await filling.end();
  await sessionsEnded('filling');
});
afterAll(async () => {
  await admin.end();
  await postgres.drop();
});

/** 2,000 organisations with ten members each, so that reading a table from end to end would be the wrong plan. */
const manyOrganisations = `
  INSERT INTO users SELECT gen_random_uuid(), 'https://id.test', 's' || i, 'n', 's' || i || '@x.example', true, now(), now()
    FROM generate_series(1, 20000) i;
  INSERT INTO organisations SELECT 'org_' || i, 'e', 'n', '', now(), 0, 'BASIC', 50, false, 'MONTHLY', now(), true, false
    FROM generate_series(1, 2000) i;
  INSERT INTO members SELECT gen_random_uuid(), 'org_' || 1 + row_number() OVER () % 2000, id, email, email, 'OWNER',
    'active', '', NULL, now() FROM users;
  INSERT INTO members SELECT gen_random_uuid(), 'org_' || i, NULL, 'i' || i, 'i' || i, 'VIEWER', 'invited', '',
    now() + '1 day', now() FROM generate_series(1, 2000) i;
  INSERT INTO client_groups SELECT gen_random_uuid(), 'org_' || i, 'g' || j, '', false, j = 1, NULL, NULL, NULL, NULL,
    NULL, '{}', 0, '[]', '[]', '[]', now() FROM generate_series(1, 2000) i, generate_series(1, 5) j;
  INSERT INTO client_members SELECT gen_random_uuid(), organisation_id, id, 'n', now(), 'e' || j, 'active', '[]', '[]'
    FROM client_groups, generate_series(1, 2) j;
  INSERT INTO client_workspaces SELECT gen_random_uuid(), organisation_id, id, 'n', now(), '', 'VIEW' FROM client_groups;
  INSERT INTO api_keys SELECT gen_random_uuid(), organisation_id, id, 'k', 'p', '{}', NULL, NULL, NULL, now()
    FROM members WHERE status = 'active';
  INSERT INTO api_key_secrets SELECT sha256(id::text::bytea), organisation_id, id, NULL, now() FROM api_keys;
  INSERT INTO audit_entries SELECT gen_random_uuid(), organisation_id, now(), 'user', user_id::text, 'n', 'member.added',
    'member', id::text, NULL, '{}', '' FROM members WHERE status = 'active';
  INSERT INTO ended_sessions SELECT 'https://id.test', 't' || i, 's' || i, CASE WHEN i % 2 = 0 THEN 'i' || i ELSE '' END, now()
    FROM generate_series(1, 20000) i;
  ANALYZE;`;

/** One of each thing of one organisation. */
async function exampleIds(client: pg.Client) {
  const { rows } = await client.query<
    Record<'user' | 'member' | 'invitation' | 'group' | 'key', string> & { hash: Buffer }
  >(
    `SELECT m.user_id AS user, m.id AS member, k.id AS key, s.hash,
            (SELECT id FROM members WHERE organisation_id = 'org_77' AND status = 'invited') AS invitation,
            (SELECT id FROM client_groups WHERE organisation_id = 'org_77' AND name = 'g2') AS group
     FROM members m JOIN api_keys k ON k.member_id = m.id JOIN api_key_secrets s ON s.api_key_id = k.id
     WHERE m.organisation_id = 'org_77' AND m.status = 'active' LIMIT 1`,
  );
  const [example] = rows;
  if (!example) throw new Error('no example');
  return example;
}

/** How often each table has been read from end to end, by whomever. */
async function fullReads(): Promise<Record<string, string>> {
  const { rows } = await admin.query<{ relname: string; seq_scan: string }>(
    `SELECT relname, seq_scan FROM pg_stat_user_tables WHERE relname NOT LIKE 'knex%' AND relname NOT IN ('outbox', 'inbox')`,
  );
  return Object.fromEntries(rows.map(({ relname, seq_scan }) => [relname, seq_scan]));
}

/** Every query that the stores make. */
async function everyQuery(database: Database): Promise<void> {
  const organisationId = 'org_77';
  const by: ActorContext = {
    organisationId,
    actor: { type: 'user', id: ids.user, name: 'n', userId: ids.user, level: 'OWNER' },
    requestId: 'r',
  };
  const gone = <State>(state: State) => ({ state: null, events: [], result: state });
  const kept = (roster: Roster) => ({ state: roster, events: [], result: memberOf(roster, ids.member) });

  const organisations = organisationsStore(database);
  await organisations.get(organisationId);
  await organisations.getWithMembers(organisationId);
  await organisations.listOfUser(ids.user, everything);
  await organisations.update(by, (organisation) => changeOrganisation(organisation, { name: newId() }, at));

  const members = membersStore(database);
  await members.get(organisationId, ids.member);
  await members.list(organisationId, ['invited', 'active', 'suspended'], everything);
  await members.list(organisationId, ['removed'], everything);
  await members.update(by, { memberIds: [ids.member], userId: ids.user, email: 's1@x.example', at }, kept);
  await members.listInvitations('i77', at, everything);
  await members.organisationOfInvitation(ids.invitation, 'i77');

  const clientGroups = clientGroupsStore(database);
  await clientGroups.get(organisationId, ids.group);
  await clientGroups.list(organisationId, { archived: false }, everything);
  await clientGroups.list(organisationId, { archived: false, search: 'g' }, everything);
  await clientGroups.getWhole(organisationId, ids.group);
  await clientGroups.update(by, ids.group, (group) => changeClientGroup(group, { name: newId() }, at));
  await clientGroups.updateDefault(by, ids.group, unchanged);
  await clientGroups.updateAccess(by, ids.group, (access) => unchanged({ ...access, fileAccess: [{ a: newId() }] }));
  const member = clientMember('new', { id: newId() });
  await clientGroups.members.add(by, ids.group, unchanged(member));
  await clientGroups.members.update(by, ids.group, member.id, (known) => unchanged({ ...known, name: 'renamed' }));
  await clientGroups.members.list(organisationId, ids.group, everything);
  await clientGroups.members.update(by, ids.group, member.id, gone);
  const workspace = clientWorkspace('new', { id: newId() });
  await clientGroups.workspaces.add(by, ids.group, unchanged(workspace));
  await clientGroups.workspaces.update(by, ids.group, workspace.id, (known) =>
    unchanged({ ...known, name: 'renamed' }),
  );
  await clientGroups.workspaces.list(organisationId, ids.group, everything);
  await clientGroups.workspaces.update(by, ids.group, workspace.id, gone);

  const apiKeys = apiKeysStore(database);
  await apiKeys.get(organisationId, ids.key);
  await apiKeys.list(organisationId, undefined, everything);
  await apiKeys.list(organisationId, ids.user, everything);
  await apiKeys.update(by, { keyId: ids.key, clientGroupId: ids.group }, (key) => unchanged({ ...key, name: newId() }));
  await apiKeys.recordUses([{ organisationId, apiKeyId: ids.key, at }]);

  const auditLog = auditLogStore(database);
  const exact = [
    {},
    { actorId: ids.user },
    { onBehalfOfUserId: ids.user },
    { action: 'member.added' },
    { targetId: ids.member },
    { targetType: 'member' },
  ];
  for (const filter of exact) {
    await auditLog.list(organisationId, filter, everything);
    await auditLog.list(organisationId, { ...filter, createdAfter: new Date(0), createdBefore: at }, everything);
  }

  const credentials = credentialsStore(database);
  const person = { issuer: 'https://id.test', subject: 's77', name: 'n', email: 's77@x.example', emailVerified: true };
  const session = { sessionId: 's', issuedAt: new Date() };
  await credentials.userWithMemberships(person, session, (known) => known ?? { id: newId(), ...person });
  const stranger = { ...person, subject: newId() };
  await credentials.userWithMemberships(stranger, session, (known) => known ?? { id: newId(), ...stranger });
  await credentials.endSessions({ issuer: person.issuer, tokenId: newId(), subject: 's', sessionId: 's', endedAt: at });
  await credentials.forgetEndedSessions(new Date(0));
  await credentials.apiKeyByHash(ids.hash);
  await organisations.update(by, gone);
}

/** A session that ends makes the server count what it has read. */
const sessionsEnded = (applicationName: string): Promise<boolean> =>
  waitFor(
    async () => {
      const { rows } = await admin.query('SELECT FROM pg_stat_activity WHERE application_name = $1', [applicationName]);
      return rows.length === 0;
    },
    { what: 'the sessions to end and their reads to be counted' },
  );

describe('the queries of the stores', () => {
  it('all go by an index: none reads a table from end to end, however many organisations there are', async () => {
    const before = await fullReads();
    const database = openDatabase({ url: postgres.appUrl, applicationName: 'query plans', logger });
    try {
      await everyQuery(database);
    } finally {
      await database.close();
    }
    await sessionsEnded('query plans');
    expect(await fullReads()).toEqual(before);
  });
});
