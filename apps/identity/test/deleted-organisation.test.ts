import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock } from '@platform-backend/core';
import { refusalOf } from '@platform-backend/service/testing';
import { startTestIdentity, type Founder, type TestIdentity } from './test-identity.ts';

const clock = fixedClock(new Date());
let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity({ clock });
});
afterAll(() => identity.stop());

/** An organisation with something of everything that can belong to one. */
async function seeded(name: string) {
  const founder = await identity.found(name);
  const member = await identity.join(founder, `${name}Colleague`, 'ADMIN');
  const invited = await identity.signIn(`${name}Guest`);
  const invitation = { email: invited.userEmail ?? '', permissionLevel: 'VIEWER' } as const;
  const { id: invitationId } = await identity.members.inviteMember(invitation, founder);
  const { id: groupId } = await identity.clientGroups.createClientGroup({ name: 'Retail' }, founder);
  await identity.clientGroups.addClientMember({ groupId, name: 'Ann', email: 'ann@client.example' }, founder);
  await identity.clientGroups.addClientWorkspace({ groupId, name: 'Desk' }, founder);
  const { apiKey } = await identity.apiKeys.createApiKey({ name: 'k', clientGroupId: groupId }, founder);
  return { founder, member, invited, invitationId, groupId, apiKey };
}

/** How many rows each table has of the organisation, whichever tables there are. */
async function rowsOf(organisationId: string): Promise<Record<string, number>> {
  const { rows: tables } = await identity.admin.query<{ name: string; column: string }>(
    `SELECT table_name AS name, column_name AS column FROM information_schema.columns
     WHERE table_schema = 'public' AND (column_name = 'organisation_id' OR (table_name, column_name) = ('organisations', 'id'))`,
  );
  const counts: [table: string, count: number][] = [];
  // One after the other: they share a connection.
  for (const { name, column } of tables) {
    const { rows } = await identity.admin.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${name} WHERE ${column} = $1`,
      [organisationId],
    );
    counts.push([name, rows[0]?.count ?? 0]);
  }
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

const namesOfEvents = async (organisationId: string): Promise<string[]> => {
  const { rows } = await identity.admin.query<{ name: string }>(
    `SELECT split_part(envelope->>'type', 'platform.v1.identity.', 2) AS name FROM outbox WHERE organisation_id = $1`,
    [organisationId],
  );
  return rows.map(({ name }) => name);
};

const remove = (founder: Founder) => identity.organisations.deleteCurrentOrganisation({}, founder);

/** The log of what was done, whose end tells of the deletion. */
const remaining = ['audit_chain_links', 'audit_chains', 'audit_entries', 'outbox'];

describe('what belonged to a deleted organisation', () => {
  it('is gone, in whatever table it was: the audit log alone stays, and the events on their way', async () => {
    const { founder } = await seeded('Ada');
    const other = await seeded('Bea');
    const before = await rowsOf(other.founder.organisation.id);
    expect(Object.keys(before).sort()).toEqual([
      'api_key_secrets',
      'api_keys',
      'audit_chain_links',
      'audit_chains',
      'audit_entries',
      'client_groups',
      'client_members',
      'client_workspaces',
      'members',
      'organisations',
      'outbox',
    ]);
    await remove(founder);
    expect(Object.keys(await rowsOf(founder.organisation.id)).sort()).toEqual(remaining);
    expect(await rowsOf(other.founder.organisation.id)).toEqual(before);
  });

  it('is told by one event, which stands for the end of all of it', async () => {
    const { founder } = await seeded('Cy');
    const before = await namesOfEvents(founder.organisation.id);
    await remove(founder);
    const after = await namesOfEvents(founder.organisation.id);
    expect(after.slice(before.length)).toEqual(['organisation.deleted', 'audit.recorded']);
  });

  it('opens to nobody any more: not to members, keys or the invited', async () => {
    const { founder, member, invited, invitationId, apiKey } = await seeded('Dan');
    await remove(founder);
    expect(await refusalOf(identity.withKey(apiKey))).toMatchObject({ kind: 'unauthenticated' });
    const { id } = founder.organisation;
    expect(await refusalOf(identity.signIn('DanColleague', id))).toMatchObject({ kind: 'forbidden' });
    // Whoever was resolved a moment ago finds nothing.
    expect(await identity.members.listMembers({}, { caller: member })).toMatchObject({ members: [] });
    expect((await identity.members.listInvitations({}, { caller: invited })).invitations).toEqual([]);
    const accept = identity.members.acceptInvitation({ invitationId }, { caller: invited });
    expect(await refusalOf(accept)).toMatchObject({ kind: 'not_found', message: 'Invitation not found' });
  });

  it('does not come back by what is on its way in that moment', async () => {
    const { founder, invited, invitationId, groupId } = await seeded('Eve');
    const { clientGroups, members, apiKeys } = identity;
    const late = () => [
      clientGroups.createClientGroup({ name: 'late' }, founder),
      clientGroups.addClientMember({ groupId, name: 'Bob', email: `${Math.random()}@client.example` }, founder),
      clientGroups.addClientWorkspace({ groupId, name: 'Shelf' }, founder),
      members.acceptInvitation({ invitationId }, { caller: invited }),
      members.inviteMember({ email: `${Math.random()}@people.example`, permissionLevel: 'VIEWER' }, founder),
      apiKeys.createApiKey({ name: 'late', clientGroupId: groupId }, founder),
    ];
    const outcomes = await Promise.allSettled([...late(), remove(founder), ...late()]);
    expect(outcomes[6]).toMatchObject({ status: 'fulfilled' });
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject({ kind: expect.stringMatching(/not_found|conflict/) });
    }
    for (const outcome of await Promise.allSettled(late())) expect(outcome).toMatchObject({ status: 'rejected' });
    expect(Object.keys(await rowsOf(founder.organisation.id)).sort()).toEqual(remaining);
  });

  it('leaves the people behind, who can found another one', async () => {
    const { founder } = await seeded('Fay');
    await remove(founder);
    const again = await identity.found('Fay');
    expect(again.caller.userId).toBe(founder.caller.userId);
    expect(again.organisation.id).not.toBe(founder.organisation.id);
  });
});
