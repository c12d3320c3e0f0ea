import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectOk, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { ApiKey, ClientGroup, CreatedApiKey, Organisation, ValidationRefusal } from '../src/resources.ts';

const platform = sharedPlatform();

describe('PATCH', () => {
  let ada: Person;

  beforeAll(async () => {
    ada = await newPerson(platform, 'Ada');
    await newOrganisation(ada);
  });

  it('changes the fields given and leaves absent ones as they are', async () => {
    const { id } = expectOk(
      await ada.call<ClientGroup>('POST', '/client-groups/', { body: { name: 'Before', description: 'Stays' } }),
    );
    const changed = expectOk(
      await ada.call<ClientGroup>('PATCH', `/client-groups/${id}/`, { body: { name: 'After' } }),
    );
    expect(changed).toMatchObject({ id, name: 'After', description: 'Stays' });
    const emptied = expectOk(
      await ada.call<ClientGroup>('PATCH', `/client-groups/${id}/`, { body: { description: '' } }),
    );
    expect(emptied).toMatchObject({ name: 'After', description: '' });
    const untouched = expectOk(await ada.call<ClientGroup>('PATCH', `/client-groups/${id}/`, { body: {} }));
    expect(untouched).toEqual(emptied);
  });

  it('takes null as "no value" where a field may have none, and tells it from absent', async () => {
    const expires = '2099-01-01T00:00:00Z';
    const { id } = expectOk(
      await ada.call<CreatedApiKey>('POST', '/api-keys/', { body: { name: 'Ending', expires_at: expires } }),
    );
    const renamed = expectOk(await ada.call<ApiKey>('PATCH', `/api-keys/${id}/`, { body: { name: 'Still ending' } }));
    expect(new Date(renamed.expires_at ?? 0)).toEqual(new Date(expires));
    const endless = expectOk(await ada.call<ApiKey>('PATCH', `/api-keys/${id}/`, { body: { expires_at: null } }));
    expect(endless).toMatchObject({ name: 'Still ending', expires_at: null });
  });

  it('refuses null where a field must have a value', async () => {
    const { id } = expectOk(await ada.call<ClientGroup>('POST', '/client-groups/', { body: { name: 'Named' } }));
    const refused = await ada.call<ValidationRefusal>('PATCH', `/client-groups/${id}/`, { body: { name: null } });
    expect(refused.status).toBe(422);
    expect(refused.body.detail.map(({ type, loc }) => [type, loc])).toEqual([['string_type', ['body', 'name']]]);
  });

  it('changes the organisation itself', async () => {
    const changed = expectOk(
      await ada.call<Organisation>('PATCH', '/organisations/current/', { body: { name: 'Renamed Ltd' } }),
    );
    expect(changed).toMatchObject({ name: 'Renamed Ltd', email: ada.email, image_url: 'https://example.com/logo.png' });
  });
});
