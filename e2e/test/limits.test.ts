import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectOk, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { ApiKey, ClientGroup, CreatedApiKey, Organisation, ValidationRefusal } from '../src/resources.ts';

const platform = sharedPlatform();
let ada: Person;

beforeAll(async () => {
  ada = await newPerson(platform, 'Ada');
  await newOrganisation(ada);
});

/** Type and place of everything that is wrong with a request. */
async function wrongWith(method: string, path: string, body: object): Promise<unknown[]> {
  const refused = await ada.call<ValidationRefusal>(method, path, { body });
  expect(refused.status).toBe(422);
  return refused.body.detail.map(({ type, loc }) => [type, loc]);
}

describe('a text in a request', () => {
  // Three bytes in UTF-8 each, one character.
  const longest = '界'.repeat(2000);

  it('of 2,000 characters may be a name, when a thing is made as well as later', async () => {
    const { id } = expectOk(await ada.call<CreatedApiKey>('POST', '/api-keys/', { body: { name: longest } }));
    const renamed = await ada.call<ApiKey>('PATCH', `/api-keys/${id}/`, { body: { name: longest.replace('界', 'x') } });
    expect(expectOk(renamed).name).toHaveLength(2000);
    const organisation = await ada.call<Organisation>('PATCH', '/organisations/current/', { body: { name: longest } });
    expect(expectOk(organisation).name).toBe(longest);
  });

  it('that is longer is refused, up to the megabyte that would be too much for an event', async () => {
    const tooLong = [['string_too_long', ['body', 'name']]];
    for (const name of [`${longest}.`, 'x'.repeat(1_000_000)]) {
      const body = { email: ada.email, name, image_url: '' };
      expect(await wrongWith('POST', '/organisations/', body)).toEqual(tooLong);
      expect(await wrongWith('PATCH', '/organisations/current/', { name })).toEqual(tooLong);
      expect(await wrongWith('POST', '/api-keys/', { name })).toEqual(tooLong);
    }
  });
});

describe('the picture of an organisation', () => {
  const wrongLink = [['url_scheme', ['body', 'image_url']]];

  it.each(['javascript:alert(1)', ' JavaScript:alert(1)', 'java\nscript:alert(1)', 'data:text/html,x'])(
    'is not %j, neither at first nor later',
    async (image_url) => {
      const body = { email: ada.email, name: 'Example', image_url };
      expect(await wrongWith('POST', '/organisations/', body)).toEqual(wrongLink);
      expect(await wrongWith('PATCH', '/organisations/current/', { image_url })).toEqual(wrongLink);
    },
  );

  it.each(['', 'logo.png', '//example.com/logo.png', 'HTTPS://example.com/logo.png'])(
    'may be %j',
    async (image_url) => {
      const changed = await ada.call<Organisation>('PATCH', '/organisations/current/', { body: { image_url } });
      expect(expectOk(changed)).toMatchObject({ image_url });
    },
  );
});

describe('lists, maps and whole requests', () => {
  it('are refused beyond their limits, each for its own', async () => {
    const { id } = expectOk(await ada.call<ClientGroup>('POST', '/client-groups/', { body: { name: 'Group' } }));
    const wrong = (body: object) => wrongWith('PUT', `/client-groups/${id}/access/`, body);
    const keys = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`key ${index}`, '']));
    expect(await wrong({ asset_access: Array.from({ length: 1001 }, () => ({})) })).toEqual([
      ['too_long', ['body', 'asset_access']],
    ]);
    expect(await wrong({ asset_access: [keys, { ['k'.repeat(256)]: '' }] })).toEqual([
      ['too_long', ['body', 'asset_access', 0]],
      ['string_too_long', ['body', 'asset_access', 1, 'k'.repeat(256), '[key]']],
    ]);
    const large = Array.from({ length: 200 }, () => ({ asset: 'x'.repeat(1400) }));
    expect(await wrong({ asset_access: large })).toEqual([['bytes_too_long', ['body']]]);
  });
});
