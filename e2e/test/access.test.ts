import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { randomUUID } from 'node:crypto';
import { send, type RequestParts } from '../src/http.ts';
import { buyCredits, expectOk, join, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { ClientGroup, CreatedApiKey, Found, Organisation } from '../src/resources.ts';

const platform = sharedPlatform();

type Access = { visibility: string; groups: string[]; members: string[]; created_by: string | null };
type Restrictable = { id: string; access: Access };

describe('what is restricted to a group and a member', () => {
  let ada: Person;
  let ann: Person;
  let ben: Person;
  let organisation: Organisation;
  let group: string;
  let key: string;
  let annId: string;

  const post = async <Body>(by: Person, path: string, body: unknown): Promise<Body> =>
    expectOk(await by.call<Body>('POST', path, { body }));
  const put = async (path: string, body: unknown): Promise<Access> =>
    expectOk(await ada.call<Access>('PUT', path, { body }));

  /** Status codes of the owner, the member, the other member and the key of the group, in this order. */
  const statuses = async (path: string, method = 'GET', parts: RequestParts = {}) => [
    ...(await Promise.all([ada, ann, ben].map(async (by) => (await by.call(method, path, parts)).status))),
    (await send(platform.url, method, path, { apiKey: key, ...parts })).status,
  ];
  const findsIt = async (by: Person, word: string): Promise<boolean> => {
    const body = { query: word, mode: 'keyword' };
    return expectOk(await by.call<Found>('POST', '/search/', { body })).hits.length > 0;
  };

  beforeAll(async () => {
    [ada, ann, ben] = [
      await newPerson(platform, 'Ada'),
      await newPerson(platform, 'Ann'),
      await newPerson(platform, 'Ben'),
    ];
    organisation = await newOrganisation(ada);
    await buyCredits(ada);
    for (const person of [ann, ben]) await join(ada, organisation, person, 'EDITOR');
    group = (await post<ClientGroup>(ada, '/client-groups/', { name: 'Board' })).id;
    key = (await post<CreatedApiKey>(ada, '/api-keys/', { name: 'of the board', client_group_id: group })).api_key;
    annId = expectOk(await ann.call<{ id: string }>('GET', '/me/')).id;
  });

  it('is there for these alone, from its making on, until it is for everybody again', async () => {
    const access = { visibility: 'restricted', groups: [group], members: [annId] };
    const body = { title: 'Bonus', content: 'The board decides on the quetzal bonus.', access };
    const { id, access: said } = await post<Restrictable>(ada, '/conventions/', body);
    expect(said).toMatchObject(access);
    expect(await statuses(`/conventions/${id}`)).toEqual([200, 200, 404, 200]);
    expect([await findsIt(ann, 'quetzal'), await findsIt(ben, 'quetzal')]).toEqual([true, false]);
    expect((await ben.call('DELETE', `/conventions/${id}`)).status).toBe(404);
    const ask = { assistant_name: 'general', new_message: 'What does the board decide on?' };
    expect((await ann.call('POST', '/agents/submit-to-assistant/', { body: ask })).text).toContain('quetzal');
    expect((await ben.call('POST', '/agents/submit-to-assistant/', { body: ask })).text).not.toContain('quetzal');
    await put(`/conventions/${id}/access/`, { visibility: 'organisation' });
    expect(await statuses(`/conventions/${id}`)).toEqual([200, 200, 200, 200]);
    expect(await findsIt(ben, 'quetzal')).toBe(true);
  });

  it('is a whole collection as well, whatever its name', async () => {
    const collection = 'board/2026 & after';
    const path = `/collections/by-name/?collection=${encodeURIComponent(collection)}`;
    const upload = { id: randomUUID(), name: 'minutes.txt', collection };
    await post(ada, '/documents/upload/', upload);
    expect(await statuses(path)).toEqual([200, 200, 200, 200]);
    await put('/collections/access/', { collection, visibility: 'restricted', groups: [group] });
    expect(await statuses(path)).toEqual([200, 404, 404, 200]);
    expect(await statuses(`/documents/${upload.id}/`)).toEqual([200, 404, 404, 200]);
    const opening = { collection, visibility: 'organisation' };
    expect((await ben.call('PUT', '/collections/access/', { body: opening })).status).toBe(403);
    // By the side of the group, and of a person who is its client.
    await post(ada, `/client-groups/${group}/members/`, { name: 'Ben', email: ben.email });
    const opens = async () => (await ben.call('GET', `/documents/${upload.id}/`)).status === 200;
    await waitFor(opens, { what: 'Ben to be in the group' });
    expectOk(await ada.call('POST', `/client-groups/${group}/archive/`));
    await waitFor(async () => !(await opens()), { what: 'the end of the group' });
    expectOk(await ada.call('POST', `/client-groups/${group}/restore/`));
    const other = (await post<ClientGroup>(ada, '/client-groups/', { name: 'Audit' })).id;
    await post(ada, `/client-groups/${other}/members/`, { name: 'Ann', email: ann.email });
    await put(`/client-groups/${other}/access/`, { folder_access: [{ [collection]: 'VIEW' }] });
    await waitFor(async () => (await ann.call('GET', `/documents/${upload.id}/`)).status === 200, {
      what: 'the list of the group to open it',
    });
  });

  it('names whoever is not there', async () => {
    const { id } = await post<Restrictable>(ada, '/assistants/', { name: 'Advisor' });
    const unknown = randomUUID();
    const body = { visibility: 'restricted', groups: [unknown], members: [annId] };
    const refused = await ada.call('PUT', `/assistants/${id}/access/`, { body });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ detail: [{ loc: ['body', 'groups', 0], input: unknown }] });
    await put(`/assistants/${id}/access/`, { visibility: 'restricted', members: [annId] });
    expect(await statuses(`/assistants/${id}/`)).toEqual([200, 200, 404, 404]);
    const listed = expectOk(await ann.call<Restrictable[]>('GET', '/assistants/?visibility=restricted'));
    expect(listed).toMatchObject([{ id, access: { members: [annId] } }]);
    expect(expectOk(await ben.call('GET', '/assistants/?visibility=restricted'))).toEqual([]);
  });
});
