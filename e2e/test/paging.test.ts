import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectOk, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { ClientGroup, ClientGroupSummary, ValidationRefusal } from '../src/resources.ts';

const platform = sharedPlatform();

describe('paging through a list', () => {
  let ada: Person;
  const names = ['One', 'Two', 'Three', 'Four', 'Five'];

  beforeAll(async () => {
    ada = await newPerson(platform, 'Ada');
    await newOrganisation(ada);
    for (const name of names) expectOk(await ada.call('POST', '/client-groups/', { body: { name } }));
  });

  const page = (query: string) => ada.call<ClientGroupSummary[]>('GET', `/client-groups/${query}`);

  it('shows every item once, newest first, by the cursor of each answer', async () => {
    const seen: string[] = [];
    let query = '?limit=2';
    for (;;) {
      const answer = await page(query);
      const items = expectOk(answer);
      expect(items.length).toBeLessThanOrEqual(2);
      seen.push(...items.map(({ name }) => name));
      const cursor = answer.headers['x-next-cursor'];
      if (cursor === undefined) break;
      query = `?limit=2&cursor=${encodeURIComponent(cursor)}`;
    }
    // The default group is as old as the organisation.
    expect(seen.slice(0, names.length)).toEqual([...names].reverse());
    expect(seen).toHaveLength(names.length + 1);
  });

  it('links to the next page with all other parameters kept, and to none after the last', async () => {
    const { headers } = await page('?limit=2&archived=false');
    const link = /^<([^>]+)>; rel="next"$/.exec(headers['link'] ?? '')?.[1] ?? '';
    const target = new URL(link, platform.url);
    expect(target.searchParams.get('limit')).toBe('2');
    expect(target.searchParams.get('archived')).toBe('false');
    expect(target.searchParams.get('cursor')).toBe(headers['x-next-cursor']);
    const next = await ada.call<ClientGroupSummary[]>('GET', target.pathname + target.search);
    expect(expectOk(next).map(({ name }) => name)).toEqual(['Three', 'Two']);

    const last = await page('?limit=200');
    expect([last.headers['link'], last.headers['x-next-cursor']]).toEqual([undefined, undefined]);
  });

  it('says how much is in each group, and leaves it to the group itself to show that', async () => {
    const [group] = expectOk(await page('?limit=1'));
    const members = `/client-groups/${group?.id ?? ''}/members/`;
    expectOk(await ada.call('POST', members, { body: { name: 'Ann', email: 'ann@client.example' } }));
    const [listed] = expectOk(await page('?limit=1'));
    expect(listed).toMatchObject({ id: group?.id, member_count: 1, workspace_count: 0 });
    expect(Object.keys(listed ?? {})).not.toEqual(expect.arrayContaining(['members']));
    const whole = expectOk(await ada.call<ClientGroup>('GET', `/client-groups/${group?.id ?? ''}/`));
    expect(whole.members).toMatchObject([{ name: 'Ann' }]);
  });

  it('counts all items only when asked to', async () => {
    expect((await page('?limit=1')).headers['x-total-count']).toBeUndefined();
    expect((await page('?limit=1&include_total=true')).headers['x-total-count']).toBe(String(names.length + 1));
  });

  it('does not shift when items are added while somebody pages', async () => {
    const first = await page('?limit=2');
    const added = expectOk(await ada.call<ClientGroup>('POST', '/client-groups/', { body: { name: 'Late' } }));
    const second = await page(`?limit=2&cursor=${encodeURIComponent(first.headers['x-next-cursor'] ?? '')}`);
    const ids = [...expectOk(first), ...expectOk(second)].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(ids).not.toContain(added.id);
  });

  it('refuses a cursor that was made up, changed or given out by another list', async () => {
    const cursor = (await page('?limit=1')).headers['x-next-cursor'] ?? '';
    const changed = cursor.slice(0, -2) + (cursor.endsWith('AA') ? 'BB' : 'AA');
    for (const bad of ['made-up', changed, `${cursor}x`]) {
      const refused = await ada.call<ValidationRefusal>('GET', `/client-groups/?cursor=${encodeURIComponent(bad)}`);
      expect([bad, refused.status]).toEqual([bad, 422]);
      expect(refused.body.detail.map(({ loc }) => loc)).toEqual([['query', 'cursor']]);
    }
    const other = await ada.call<ValidationRefusal>('GET', `/audit-log/?cursor=${encodeURIComponent(cursor)}`);
    expect([other.status, other.body.detail[0]?.msg]).toEqual([
      422,
      'Value error, a cursor of GET /client-groups/, and not of this list, GET /audit-log/',
    ]);
  });

  it.each([0, 201, 'many'])('refuses a limit of %s', async (limit) => {
    const refused = await ada.call<ValidationRefusal>('GET', `/client-groups/?limit=${limit}`);
    expect([refused.status, refused.body.detail[0]?.loc]).toEqual([422, ['query', 'limit']]);
  });
});
