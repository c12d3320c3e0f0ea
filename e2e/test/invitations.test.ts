import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { expectOk, join, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { Invitation, Member, Organisation, ValidationRefusal } from '../src/resources.ts';

const platform = sharedPlatform();

describe('inviting somebody', () => {
  let ada: Person;
  let organisation: Organisation;

  beforeAll(async () => {
    ada = await newPerson(platform, 'Ada');
    organisation = await newOrganisation(ada);
  });

  const invite = (email: string, level = 'VIEWER') =>
    ada.call<Member>('POST', '/organisations/members/', { body: { email, permission_level: level } });

  it('shows the invitation to its owner, who is in after accepting it', async () => {
    const grace = await newPerson(platform, 'Grace');
    expect((await grace.call('GET', '/organisations/current/')).body).toEqual({
      detail: expect.stringMatching(/^No organisation: create one .*, or join one that has invited you/),
      code: 'no_organisation',
    });

    const invited = expectOk(await invite(grace.email, 'EDITOR'));
    expect(invited).toMatchObject({ email: grace.email, permission_level: 'EDITOR', status: 'invited' });

    const [invitation] = expectOk(await grace.call<Invitation[]>('GET', '/invitations/'));
    expect(invitation).toMatchObject({ id: invited.id, organisation_id: organisation.id, permission_level: 'EDITOR' });

    const member = expectOk(await grace.call<Member>('POST', `/invitations/${invited.id}/accept/`));
    expect(member).toMatchObject({ id: invited.id, status: 'active', permission_level: 'EDITOR' });

    const seen = expectOk(await grace.call<Organisation>('GET', '/organisations/current/'));
    expect(seen.members.map(({ user, permission_level }) => [user.email, permission_level])).toEqual([
      [ada.email, 'OWNER'],
      [grace.email, 'EDITOR'],
    ]);
    expect(expectOk(await grace.call('GET', '/invitations/'))).toEqual([]);
    expect((await grace.call('POST', `/invitations/${invited.id}/accept/`)).status).toBe(404);
  });

  it('is nobody else’s business', async () => {
    const [grace, eve] = [await newPerson(platform, 'Grace'), await newPerson(platform, 'Eve')];
    const invited = expectOk(await invite(grace.email));
    expect(expectOk(await eve.call('GET', '/invitations/'))).toEqual([]);
    expect((await eve.call('POST', `/invitations/${invited.id}/accept/`)).status).toBe(404);
    expect((await eve.call('POST', `/invitations/${invited.id}/decline/`)).status).toBe(404);
  });

  it('can be declined, and then the same address can be invited again', async () => {
    const grace = await newPerson(platform, 'Grace');
    const invited = expectOk(await invite(grace.email));
    expect((await invite(grace.email)).status).toBe(409);
    expect(expectOk(await grace.call('POST', `/invitations/${invited.id}/decline/`))).toEqual({
      id: invited.id,
      deleted: true,
    });
    expect(expectOk(await grace.call('GET', '/invitations/'))).toEqual([]);
    expect((await invite(grace.email)).status).toBe(200);
  });

  it('takes effect in every rule about levels: a viewer reads, an administrator writes', async () => {
    const vera = await newPerson(platform, 'Vera');
    const member = await join(ada, organisation, vera, 'VIEWER');
    expect((await vera.call('GET', '/client-groups/')).status).toBe(200);
    expect((await vera.call('POST', '/client-groups/', { body: { name: 'Not yet' } })).status).toBe(403);
    expectOk(await ada.call('PATCH', `/organisations/members/${member.id}/`, { body: { permission_level: 'ADMIN' } }));
    await waitFor(async () => (await vera.call('POST', '/client-groups/', { body: { name: 'Now' } })).status === 200, {
      what: 'the new level to count',
    });
  });

  it('never leaves an organisation without an owner', async () => {
    const me = expectOk(await ada.call<Organisation>('GET', '/organisations/current/')).members.find(
      ({ user }) => user.email === ada.email,
    );
    expect((await ada.call('POST', '/organisations/current/leave/')).status).toBe(409);
    const demoted = await ada.call('PATCH', `/organisations/members/${me?.id ?? ''}/`, {
      body: { permission_level: 'ADMIN' },
    });
    expect(demoted.status).toBe(409);
  });

  it('lets nobody in whose address merely looks like the one invited, and invites nobody with such an address', async () => {
    // Those of before have the seats promised.
    for (const { id } of expectOk(await ada.call<Member[]>('GET', '/organisations/members/?status=invited')))
      expectOk(await ada.call('DELETE', `/organisations/members/${id}/`));
    const mark = await newPerson(platform, 'Mark');
    const alike = mark.email.replace('k', '\u212a');
    const kelvin = await newPerson(platform, 'Mark', alike);
    const { id } = expectOk(await invite(mark.email));
    expect(expectOk(await kelvin.call('GET', '/invitations/'))).toEqual([]);
    expect((await kelvin.call('POST', `/invitations/${id}/accept/`)).status).toBe(404);
    for (const email of [alike, mark.email.replace('m', 'ｍ')]) {
      const refused = await ada.call<ValidationRefusal>('POST', '/organisations/members/', { body: { email } });
      expect([refused.status, refused.body.detail[0]?.type, refused.body.detail[0]?.loc]).toEqual([
        422,
        'value_error',
        ['body', 'email'],
      ]);
    }
    const inCapitals = await newPerson(platform, 'Mark', mark.email.toUpperCase());
    expect(expectOk(await inCapitals.call<Member>('POST', `/invitations/${id}/accept/`)).status).toBe('active');
  });
});
