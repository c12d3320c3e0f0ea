import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refusalOf } from '@platform-backend/service/testing';
import { startTestIdentity, type TestIdentity } from './test-identity.ts';

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

const outcomes = async (calls: readonly Promise<unknown>[]) => {
  const settled = await Promise.allSettled(calls);
  const refused = settled
    .filter((outcome) => outcome.status === 'rejected')
    .map(({ reason }) => (reason as Error).message);
  return { done: settled.length - refused.length, refused: [...new Set(refused)] };
};

describe('requests at the same time', () => {
  it('never leave an organisation without an OWNER when two OWNERs leave at once', async () => {
    for (let round = 0; round < 5; round++) {
      const founder = await identity.found(`Ada${round}`);
      const second = await identity.join(founder, `Bob${round}`, 'OWNER');
      const leave = (caller: typeof second) => identity.organisations.leaveOrganisation({}, { caller });
      expect(await outcomes([leave(founder.caller), leave(second)])).toEqual({
        done: 1,
        refused: ['An organisation needs at least one active OWNER'],
      });
    }
  });

  it('never leave an organisation without an OWNER when two OWNERs lower each other at once', async () => {
    const founder = await identity.found('Cy');
    const second = await identity.join(founder, 'Dan', 'OWNER');
    const { members } = await identity.members.listMembers({}, founder);
    const lower = (caller: typeof second, index: number) =>
      identity.members.updateMember(
        { memberId: members[index]?.id ?? '', permissionLevel: 'VIEWER', updateMask: { paths: ['permission_level'] } },
        { caller },
      );
    expect(await outcomes([lower(founder.caller, 1), lower(second, 0)])).toMatchObject({ done: 1 });
  });

  it('give out ten seats and not one more to a hundred who accept', async () => {
    const { caller, organisation } = await identity.found('Eve');
    const subscribe = (version: string, maxMemberLimit: number) =>
      identity.billing.organisations.applySubscription({
        organisationId: organisation.id,
        version,
        subscriptionTier: 'TEAM',
        maxMemberLimit,
        seatsRenewalCycle: 'MONTHLY',
        seatsExpiredAt: new Date('2027-01-01T00:00:00.000Z'),
      });
    await subscribe('1', 101);
    const people = await Promise.all(Array.from({ length: 100 }, (_, index) => identity.signIn(`Guest${index}`)));
    const invited: { invitationId: string; person: (typeof people)[number] }[] = [];
    for (const person of people) {
      const email = person.userEmail ?? '';
      const { id } = await identity.members.inviteMember({ email, permissionLevel: 'VIEWER' }, { caller });
      invited.push({ invitationId: id, person });
    }
    await subscribe('2', 11);
    const accepted = invited.map(({ invitationId, person }) =>
      identity.members.acceptInvitation({ invitationId }, { caller: person }),
    );
    expect(await outcomes(accepted)).toEqual({ done: 10, refused: ['No seat is left'] });
    const { totalCount } = await identity.members.listMembers({ status: ['active'], includeTotal: true }, { caller });
    expect(totalCount).toBe(11);
  });

  it('promise four seats and not one more to all who are invited', async () => {
    const { caller } = await identity.found('Gus');
    const invited = Array.from({ length: 12 }, (_, index) =>
      identity.members.inviteMember({ email: `seat${index}@people.example`, permissionLevel: 'VIEWER' }, { caller }),
    );
    expect(await outcomes(invited)).toEqual({ done: 4, refused: ['No seat is left'] });
  });

  it('make one user of a person seen for the first time on many requests', async () => {
    const callers = await Promise.all(Array.from({ length: 20 }, () => identity.signIn('Newcomer')));
    expect(new Set(callers.map(({ userId }) => userId)).size).toBe(1);
  });

  it('make one invitation of two to the same address', async () => {
    const founder = await identity.found('Fay');
    const invite = () =>
      identity.members.inviteMember({ email: 'gus@people.example', permissionLevel: 'VIEWER' }, founder);
    expect(await outcomes([invite(), invite()])).toMatchObject({ done: 1 });
  });

  it('leave exactly one default client group when many are made the default', async () => {
    const founder = await identity.found('Hal');
    const groups = await Promise.all(
      Array.from({ length: 8 }, (_, index) => identity.clientGroups.createClientGroup({ name: `g${index}` }, founder)),
    );
    const made = groups.map(({ id }) => identity.clientGroups.makeDefaultClientGroup({ groupId: id }, founder));
    expect(await outcomes(made)).toMatchObject({ done: 8 });
    const { clientGroups } = await identity.clientGroups.listClientGroups({}, founder);
    expect(clientGroups.filter(({ isDefault }) => isDefault)).toHaveLength(1);
  });

  it('keep every client added to a group at once, and each e-mail once', async () => {
    const founder = await identity.found('Ian');
    const { id: groupId } = await identity.clientGroups.createClientGroup({ name: 'g' }, founder);
    const add = (index: number) =>
      identity.clientGroups.addClientMember({ groupId, name: 'n', email: `c${index}@client.example` }, founder);
    expect(await outcomes([0, 1, 2, 3, 4, 4, 4].map(add))).toMatchObject({ done: 5 });
    expect((await identity.clientGroups.getClientGroup({ groupId }, founder)).members).toHaveLength(5);
  });

  it('revoke a key once', async () => {
    const founder = await identity.found('Jo');
    const { id: keyId } = await identity.apiKeys.createApiKey({ name: 'k' }, founder);
    const revoke = () => identity.apiKeys.revokeApiKey({ keyId }, founder);
    expect(await outcomes([revoke(), revoke(), revoke()])).toEqual({ done: 1, refused: ['API key not found'] });
    expect(await refusalOf(identity.apiKeys.getApiKey({ keyId }, founder))).toMatchObject({ kind: 'not_found' });
  });
});
