import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock } from '@platform-backend/core';
import { refusalOf } from '@platform-backend/service/testing';
import { startTestIdentity, type TestIdentity } from '../../../test/test-identity.ts';

const clock = fixedClock(new Date());
const day = 86_400_000;
let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity({ clock });
});
afterAll(() => identity.stop());

describe('inviting somebody', () => {
  it('makes an invitation that the person finds and accepts with a verified address', async () => {
    const { caller, organisation } = await identity.found('Ada');
    const invited = await identity.members.inviteMember(
      { email: 'Bob@People.example', permissionLevel: 'EDITOR' },
      { caller },
    );
    expect(invited).toMatchObject({ status: 'invited', user: null, permissionLevel: 'EDITOR' });

    const bob = await identity.signIn('Bob');
    const { invitations } = await identity.members.listInvitations({}, { caller: bob });
    expect(invitations).toMatchObject([
      { id: invited.id, organisationId: organisation.id, organisationName: "Ada's company", invitedBy: 'Ada' },
    ]);
    const member = await identity.members.acceptInvitation({ invitationId: invited.id }, { caller: bob });
    expect(member).toMatchObject({
      id: invited.id,
      status: 'active',
      user: { id: bob.userId },
      invitationExpiresAt: null,
    });
    expect(await identity.signIn('Bob', organisation.id)).toMatchObject({ level: 'EDITOR' });
  });

  it('can be answered once', async () => {
    const founder = await identity.found('Cy');
    const dan = await identity.signIn('Dan');
    const invite = () =>
      identity.members.inviteMember({ email: 'dan@people.example', permissionLevel: 'VIEWER' }, founder);
    const { id } = await invite();
    expect(await identity.members.declineInvitation({ invitationId: id }, { caller: dan })).toEqual({
      id,
      deleted: true,
    });
    const calls = [
      identity.members.declineInvitation({ invitationId: id }, { caller: dan }),
      identity.members.acceptInvitation({ invitationId: id }, { caller: dan }),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) {
      expect(refusal).toMatchObject({ kind: 'not_found', message: 'Invitation not found' });
    }
    expect((await invite()).id).not.toBe(id);
  });

  it('is not seen with another address, nor with one that nobody has verified', async () => {
    const founder = await identity.found('Eli');
    const { id } = await identity.members.inviteMember(
      { email: 'fox@people.example', permissionLevel: 'VIEWER' },
      founder,
    );
    for (const stranger of [await identity.signIn('Gus'), await identity.signIn('Fox', '', { emailVerified: false })]) {
      expect((await identity.members.listInvitations({}, { caller: stranger })).invitations).toEqual([]);
      const accept = identity.members.acceptInvitation({ invitationId: id }, { caller: stranger });
      expect(await refusalOf(accept)).toMatchObject({ kind: 'not_found', message: 'Invitation not found' });
    }
  });

  it('is not seen with an address that merely looks like the one invited, and with every way to write that one', async () => {
    const founder = await identity.found('Eva');
    const invite = (email: string) => identity.members.inviteMember({ email, permissionLevel: 'VIEWER' }, founder);
    const { id } = await invite('mark@people.example');
    const seenBy = async (subject: string, email: string) => {
      const caller = await identity.signIn(subject, '', { email });
      const { invitations } = await identity.members.listInvitations({}, { caller });
      return { caller, ids: invitations.map((invitation) => invitation.id) };
    };
    for (const alike of ['mar\u212a@people.example', 'ｍark@people.example', 'mark@peo\u00adple.example']) {
      const { caller, ids } = await seenBy(alike, alike);
      expect([alike, ids]).toEqual([alike, []]);
      const accept = identity.members.acceptInvitation({ invitationId: id }, { caller });
      expect(await refusalOf(accept)).toMatchObject({ kind: 'not_found', message: 'Invitation not found' });
    }
    expect(await seenBy('Mark', ' MARK@People.example ')).toMatchObject({ ids: [id] });
    const { id: international } = await invite('jörg@münchen.de');
    for (const same of ['jörg@xn--mnchen-3ya.de', 'jo\u0308rg@MÜNCHEN.de']) {
      expect(await seenBy('Jörg', same)).toMatchObject({ ids: [international] });
    }
    expect(await refusalOf(invite('jörg@xn--mnchen-3ya.de'))).toMatchObject({ code: 'already_invited' });
  });

  it('is refused for an address that is likely to be read as another', async () => {
    const founder = await identity.found('Eve');
    for (const email of ['mar\u212a@people.example', '\u017fam@people.example', 'ｓam@people.example']) {
      const invite = identity.members.inviteMember({ email, permissionLevel: 'VIEWER' }, founder);
      expect(await refusalOf(invite)).toMatchObject({
        kind: 'invalid',
        violations: [{ type: 'value_error', loc: ['body', 'email'] }],
      });
    }
  });

  it('expires, is then no longer listed, and can be renewed', async () => {
    const founder = await identity.found('Hal');
    const ivy = await identity.signIn('Ivy');
    const invite = () =>
      identity.members.inviteMember({ email: 'ivy@people.example', permissionLevel: 'VIEWER' }, founder);
    const { id } = await invite();
    expect(await refusalOf(invite())).toMatchObject({ kind: 'conflict', code: 'already_invited' });
    clock.advance(14 * day);
    expect((await identity.members.listInvitations({}, { caller: ivy })).invitations).toEqual([]);
    const accept = () => identity.members.acceptInvitation({ invitationId: id }, { caller: ivy });
    expect(await refusalOf(accept())).toMatchObject({ kind: 'not_found' });
    expect(await invite()).toMatchObject({ id, status: 'invited' });
    expect(await accept()).toMatchObject({ id, status: 'active' });
  });

  it('is refused for somebody who is a member, below ADMIN, and to make an OWNER as ADMIN', async () => {
    const founder = await identity.found('Jan');
    const admin = await identity.join(founder, 'Kay', 'ADMIN');
    const editor = await identity.join(founder, 'Lou', 'EDITOR');
    const invite = (caller: typeof admin, email: string, permissionLevel: 'VIEWER' | 'OWNER') =>
      refusalOf(identity.members.inviteMember({ email, permissionLevel }, { caller }));
    expect(await invite(admin, 'LOU@people.example', 'VIEWER')).toMatchObject({ code: 'already_a_member' });
    expect(await invite(editor, 'new@people.example', 'VIEWER')).toMatchObject({ kind: 'forbidden' });
    expect(await invite(admin, 'new@people.example', 'OWNER')).toMatchObject({ kind: 'forbidden' });
  });
});

describe('reading members', () => {
  it('lists members and open invitations, oldest first, and removed ones only when asked for', async () => {
    const founder = await identity.found('Mia');
    clock.advance(1000);
    await identity.join(founder, 'Nia');
    clock.advance(1000);
    await identity.members.inviteMember({ email: 'open@people.example', permissionLevel: 'VIEWER' }, founder);
    const { members } = await identity.members.listMembers({}, founder);
    expect(members.map(({ email, status }) => [email, status])).toEqual([
      ['mia@people.example', 'active'],
      ['nia@people.example', 'active'],
      ['open@people.example', 'invited'],
    ]);
    await identity.members.removeMember({ memberId: members[1]?.id ?? '' }, founder);
    const removed = await identity.members.listMembers({ status: ['removed'], includeTotal: true }, founder);
    expect(removed).toMatchObject({ totalCount: 1, members: [{ status: 'removed' }] });
    const first = await identity.members.listMembers({ limit: 1 }, founder);
    const second = await identity.members.listMembers({ limit: 1, cursor: first.nextCursor }, founder);
    expect([...first.members, ...second.members].map(({ status }) => status)).toEqual(['active', 'invited']);
  });

  it('refuses what is no id and does not find an unknown one', async () => {
    const founder = await identity.found('Ola');
    const get = (memberId: string) => refusalOf(identity.members.getMember({ memberId }, founder));
    expect(await get('x')).toMatchObject({ kind: 'invalid', code: 'validation_failed' });
    expect(await get('0192a000-0000-7000-8000-000000000000')).toEqual({
      kind: 'not_found',
      code: 'member_not_found',
      message: 'Member not found',
    });
  });
});

describe('changing a member', () => {
  it('takes effect at once, and the same change again changes nothing', async () => {
    const founder = await identity.found('Pam');
    const { organisation } = founder;
    await identity.join(founder, 'Quy');
    const { members } = await identity.members.listMembers({}, founder);
    const memberId = members[1]?.id ?? '';
    const change = () =>
      identity.members.updateMember(
        { memberId, permissionLevel: 'ADMIN', updateMask: { paths: ['permission_level'] } },
        founder,
      );
    expect(await change()).toMatchObject({ permissionLevel: 'ADMIN', status: 'active' });
    expect(await change()).toMatchObject({ permissionLevel: 'ADMIN' });
    expect(await identity.signIn('Quy', organisation.id)).toMatchObject({ level: 'ADMIN' });
  });

  it('suspends and reactivates; meanwhile there is no access', async () => {
    const founder = await identity.found('Rob');
    await identity.join(founder, 'Sam');
    const { members } = await identity.members.listMembers({}, founder);
    const setStatus = (status: 'active' | 'suspended') =>
      identity.members.updateMember(
        { memberId: members[1]?.id ?? '', status, updateMask: { paths: ['status'] } },
        founder,
      );
    expect(await setStatus('suspended')).toMatchObject({ status: 'suspended' });
    expect(await refusalOf(identity.signIn('Sam', founder.organisation.id))).toMatchObject({
      kind: 'forbidden',
      code: 'membership_suspended',
    });
    await setStatus('active');
    expect(await identity.signIn('Sam', founder.organisation.id)).toMatchObject({ level: 'VIEWER' });
  });

  it('refuses a status that is reached in other ways', async () => {
    const founder = await identity.found('Tim');
    const { members } = await identity.members.listMembers({}, founder);
    const [status, memberId] = ['removed' as const, members[0]?.id ?? ''];
    const change = identity.members.updateMember({ memberId, status, updateMask: { paths: ['status'] } }, founder);
    expect(await refusalOf(change)).toMatchObject({ kind: 'invalid' });
  });

  it('never lets an API key make an ADMIN, whose access would outlive the key', async () => {
    const founder = await identity.found('Udo');
    await identity.join(founder, 'Ulf', 'EDITOR');
    const { apiKey } = await identity.apiKeys.createApiKey({ name: 'k', scopes: ['members:admin'] }, founder);
    const byKey = { caller: await identity.withKey(apiKey) };
    const personRequired = {
      kind: 'forbidden',
      code: 'person_required',
      message: 'An API key invites and promotes up to EDITOR; sign in to make somebody an ADMIN',
    };
    const invite = (permissionLevel: 'EDITOR' | 'ADMIN', email: string) =>
      identity.members.inviteMember({ email, permissionLevel }, byKey);
    expect(await refusalOf(invite('ADMIN', 'outsider@people.example'))).toEqual(personRequired);
    const { id: invitationId } = await invite('EDITOR', 'outsider@people.example');
    const { members } = await identity.members.listMembers({}, founder);
    for (const memberId of [members[1]?.id ?? '', invitationId]) {
      const change = { memberId, permissionLevel: 'ADMIN' as const, updateMask: { paths: ['permission_level'] } };
      expect(await refusalOf(identity.members.updateMember(change, byKey))).toEqual(personRequired);
      expect(await identity.members.updateMember(change, founder)).toMatchObject({ permissionLevel: 'ADMIN' });
    }
    const setStatus = (status: 'active' | 'suspended') =>
      identity.members.updateMember(
        { memberId: members[1]?.id ?? '', status, updateMask: { paths: ['status'] } },
        byKey,
      );
    expect(await setStatus('suspended')).toMatchObject({ status: 'suspended' });
    expect(await refusalOf(setStatus('active'))).toEqual(personRequired);
  });

  it('never lets an API key touch an OWNER, even one that an OWNER has made', async () => {
    const founder = await identity.found('Uma');
    const { apiKey } = await identity.apiKeys.createApiKey({ name: 'k', scopes: ['*:admin'] }, founder);
    const key = await identity.withKey(apiKey);
    const { members } = await identity.members.listMembers({}, { caller: key });
    const request = { memberId: members[0]?.id ?? '' };
    expect(await refusalOf(identity.members.removeMember(request, { caller: key }))).toMatchObject({
      kind: 'forbidden',
    });
    const invite = identity.members.inviteMember(
      { email: 'v@people.example', permissionLevel: 'OWNER' },
      { caller: key },
    );
    expect(await refusalOf(invite)).toMatchObject({ kind: 'forbidden' });
  });
});

describe('ending a membership', () => {
  it('removes a member once', async () => {
    const founder = await identity.found('Val');
    await identity.join(founder, 'Wes');
    const { members } = await identity.members.listMembers({}, founder);
    const memberId = members[1]?.id ?? '';
    expect(await identity.members.removeMember({ memberId }, founder)).toEqual({ id: memberId, deleted: true });
    expect(await refusalOf(identity.members.removeMember({ memberId }, founder))).toMatchObject({ kind: 'not_found' });
    expect(await refusalOf(identity.signIn('Wes', founder.organisation.id))).toMatchObject({ kind: 'forbidden' });
  });

  it('lets a member leave, but not the last OWNER', async () => {
    const founder = await identity.found('Xia');
    const yan = await identity.join(founder, 'Yan');
    expect(await identity.organisations.leaveOrganisation({}, { caller: yan })).toMatchObject({ deleted: true });
    expect(await refusalOf(identity.organisations.leaveOrganisation({}, { caller: yan }))).toMatchObject({
      kind: 'not_found',
    });
    expect(await refusalOf(identity.organisations.leaveOrganisation({}, founder))).toMatchObject({
      code: 'last_owner',
    });
  });

  it('hands ownership over, after which the former OWNER may leave', async () => {
    const founder = await identity.found('Zoe');
    await identity.join(founder, 'Abe');
    const { members } = await identity.members.listMembers({}, founder);
    const organisation = await identity.organisations.transferOwnership({ memberId: members[1]?.id ?? '' }, founder);
    expect(organisation.members.map(({ permissionLevel }) => permissionLevel)).toEqual(['ADMIN', 'OWNER']);
    const again = identity.organisations.transferOwnership({ memberId: members[1]?.id ?? '' }, founder);
    expect(await refusalOf(again)).toMatchObject({ kind: 'forbidden' });
    expect(await identity.organisations.leaveOrganisation({}, founder)).toMatchObject({ deleted: true });
  });
});
