import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { send, type Answer } from '../src/http.ts';
import { newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';

const platform = sharedPlatform();

describe('a refusal', () => {
  let ada: Person;

  beforeAll(async () => {
    ada = await newPerson(platform, 'Ada');
    await newOrganisation(ada);
  });

  /** What every answer carries, whatever its status. */
  const expectCommonHeaders = ({ headers }: Answer) => {
    expect(headers['x-api-version']).toBe('0.13.96');
    expect(headers['x-request-id']).toMatch(/^[\w-]{8,128}$/);
  };

  /** What the original service says by itself, without a code in the body. */
  const RECORDED = ['Not authenticated', 'Not Found', 'Method Not Allowed', 'There was an error parsing the body'];

  it.each<[string, number, string, () => Promise<Answer>]>([
    ['no credential', 401, 'Not authenticated', () => send(platform.url, 'GET', '/client-groups/')],
    [
      'another scheme',
      401,
      'Not authenticated',
      () => send(platform.url, 'GET', '/client-groups/', { headers: { authorization: 'Basic YTpi' } }),
    ],
    [
      'a bad token',
      401,
      'Invalid or expired token',
      () => send(platform.url, 'GET', '/client-groups/', { token: 'x.y.z' }),
    ],
    [
      'a group that does not exist',
      404,
      'Client group not found',
      () => ada.call('GET', `/client-groups/${randomUUID()}/`),
    ],
    ['a path that does not exist', 404, 'Not Found', () => ada.call('GET', '/nowhere/')],
    ['a doubled slash', 404, 'Not Found', () => ada.call('GET', '//client-groups/')],
    ['a method that does not fit', 405, 'Method Not Allowed', () => ada.call('DELETE', '/client-groups/')],
    [
      'a body that is not UTF-8',
      400,
      'There was an error parsing the body',
      () => ada.call('POST', '/client-groups/', { body: Buffer.from([0x7b, 0xff, 0x7d]) }),
    ],
    [
      'a body beyond the limit',
      413,
      'Request body too large',
      () => ada.call('POST', '/client-groups/', { body: { name: 'x'.repeat(1_100_000) } }),
    ],
  ])('for %s is %i with the text "%s" and a stable code', async (_, status, detail, attempt) => {
    const answer = await attempt();
    const code = answer.headers['x-error-code'];
    expect(code).toMatch(/^[a-z][a-z0-9_]+$/);
    const isRecorded = RECORDED.includes(detail);
    expect([answer.status, answer.body]).toEqual([status, isRecorded ? { detail } : { detail, code }]);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expectCommonHeaders(answer);
  });

  it('says by WWW-Authenticate and Allow what would be right', async () => {
    expect((await send(platform.url, 'GET', '/client-groups/')).headers['www-authenticate']).toMatch(/^Bearer/);
    const { allow = '' } = (await ada.call('DELETE', '/client-groups/')).headers;
    expect(allow.split(/,\s*/).sort()).toEqual(expect.arrayContaining(['GET', 'POST']));
  });

  it('comes before a look at the body when the credential is missing', async () => {
    const answer = await send(platform.url, 'POST', '/client-groups/', { body: Buffer.from('{not json') });
    expect(answer.status).toBe(401);
  });

  it('lists every problem of a request at once, in the order of the fields', async () => {
    const answer = await ada.call('POST', '/client-groups/', { body: { name: '', description: 5 } });
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        detail: [
          {
            type: 'string_too_short',
            loc: ['body', 'name'],
            msg: 'String should have at least 1 character',
            input: '',
            ctx: { min_length: 1 },
          },
          { type: 'string_type', loc: ['body', 'description'], msg: 'Input should be a valid string', input: 5 },
        ],
      },
    ]);
    expectCommonHeaders(answer);
  });

  it('comes as problem+json with the same facts when the client prefers that', async () => {
    const headers = { accept: 'application/problem+json' };
    const plain = await ada.call('GET', '/nowhere/');
    const problem = await ada.call<Record<string, unknown>>('GET', '/nowhere/', { headers });
    expect(problem.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(problem.body).toMatchObject({ status: 404, detail: 'Not Found' });
    expect(problem.body).toHaveProperty('title');
    expect(problem.headers['x-error-code']).toBe(plain.headers['x-error-code']);
  });

  it('is a redirect to the exact path where only a slash is missing or too much, with the query kept', async () => {
    const added = await ada.call('GET', '/client-groups?limit=2&x=%2F');
    expect([added.status, added.headers['location']]).toEqual([307, '/client-groups/?limit=2&x=%2F']);
    const id = randomUUID();
    const removed = await ada.call('GET', `/conventions/${id}/`);
    expect([removed.status, removed.headers['location']]).toEqual([307, `/conventions/${id}`]);
  });

  it('keeps the request id of the client, when it is a sensible one', async () => {
    const id = randomUUID();
    expect((await ada.call('GET', '/nowhere/', { headers: { 'x-request-id': id } })).headers['x-request-id']).toBe(id);
  });

  it('tells of misspelt names when it is asked to handle requests strictly, with those that were meant', async () => {
    const group = (headers?: Record<string, string>) =>
      ada.call<{ detail: object[] }>('POST', '/client-groups/', {
        body: { name: 'Strict', descripton: 'north' },
        ...(headers && { headers }),
      });
    expect((await group()).status).toBe(200);
    const { status, body } = await group({ prefer: 'handling=strict' });
    expect(status).toBe(422);
    expect(body.detail).toMatchObject([
      { type: 'extra_forbidden', loc: ['body', 'descripton'], ctx: { nearest: 'description' } },
    ]);
    const listed = await ada.call('GET', '/client-groups/?limitt=1', { headers: { Prefer: 'handling=strict' } });
    expect(listed.status).toBe(422);
  });
});
