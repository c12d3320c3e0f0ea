import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Operation } from '@platform-backend/contract';
import { loadPlatformContract } from '@platform-backend/contracts';
import { randomUUID } from 'node:crypto';
import { send } from '../src/http.ts';
import { expectOk, join, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { ClientGroup, CreatedApiKey, Organisation } from '../src/resources.ts';
import { sampleRequest, samplePath, type OpenApiDocument } from '../src/sample-request.ts';

const platform = sharedPlatform();

type Bound = Operation & { http: NonNullable<Operation['http']> };

const identityOperations = loadPlatformContract().operations.filter(
  (operation): operation is Bound => operation.http !== undefined && operation.domain === 'identity',
);
const withIds = identityOperations.filter(({ http }) => http.pathFields.length > 0);
const lists = identityOperations.filter(({ http }) => http.verb === 'GET' && http.pathFields.length === 0);

describe('two organisations', () => {
  let ada: Person;
  let eve: Person;
  let document: OpenApiDocument;
  /** Ada's things, by the name an operation's path gives them. */
  const ids: Record<string, string> = {};
  let before: string;

  /** Everything of Ada's that Eve tries to reach, in one text. */
  /** But for her usage, which grows some time after her own requests. */
  const everythingOfAda = async (): Promise<string> => {
    const paths = [
      `/client-groups/${ids['group_id'] ?? ''}/`,
      `/api-keys/${ids['key_id'] ?? ''}/`,
      '/organisations/current/',
      '/organisations/members/',
      '/client-groups/',
    ];
    const answers = await Promise.all(paths.map((path) => ada.call('GET', path)));
    return answers.map((answer) => JSON.stringify(expectOk(answer), withoutUsage)).join('\n');
  };

  beforeAll(async () => {
    [ada, eve] = [await newPerson(platform, 'Ada'), await newPerson(platform, 'Eve')];
    const organisation = await newOrganisation(ada, 'Ada Ltd');
    await newOrganisation(eve, 'Eve Ltd');
    const ben = await newPerson(platform, 'Ben');
    const group = expectOk(await ada.call<ClientGroup>('POST', '/client-groups/', { body: { name: 'Ada’s group' } }));
    const make = async (path: string, body: object) =>
      expectOk(await ada.call<{ id: string }>('POST', path, { body })).id;
    ids['group_id'] = group.id;
    ids['client_member_id'] = await make(`/client-groups/${group.id}/members/`, {
      name: 'Client',
      email: 'client@example.com',
    });
    ids['workspace_id'] = await make(`/client-groups/${group.id}/workspaces/`, { name: 'Workspace' });
    ids['key_id'] = expectOk(await ada.call<CreatedApiKey>('POST', '/api-keys/', { body: { name: 'Ada’s key' } })).id;
    ids['invitation_id'] = await make('/organisations/members/', { email: 'invited@example.com' });
    ids['member_id'] = (await join(ada, organisation, ben, 'VIEWER')).id;
    expectOk(
      await ada.call('PUT', `/client-groups/${group.id}/policy/`, {
        body: {
          period_days: 30,
          ai_credit_limit: null,
          infrastructure_credit_limit: null,
          request_limit: null,
          hard_stop: false,
        },
      }),
    );
    document = expectOk(await send<OpenApiDocument>(platform.url, 'GET', '/openapi.json'));
    before = await everythingOfAda();
  });

  const pathWith = ({ http }: Bound, known: boolean): string => {
    const idOf = (name: string) => {
      if (!known) return randomUUID();
      const isClient = name === 'member_id' && http.path.startsWith('/client-groups/');
      return ids[isClient ? 'client_member_id' : name] ?? 'unset';
    };
    return samplePath(http.path, Object.fromEntries(http.pathFields.map((name) => [name, idOf(name)])));
  };

  it('knows an id of every kind that a path can name', () => {
    expect(withIds.filter((operation) => pathWith(operation, true).includes('unset')).map(({ id }) => id)).toEqual([]);
  });

  it.each(withIds.map((operation) => [operation.id, operation] as const))(
    '%s answers for the other’s id exactly as for no one’s',
    async (_, operation) => {
      const parts = sampleRequest(document, operation.http.verb, operation.http.path);
      const theirs = await eve.call(operation.http.verb, pathWith(operation, true), parts);
      const nobodys = await eve.call(operation.http.verb, pathWith(operation, false), parts);
      expect([theirs.status, theirs.text, theirs.headers['x-error-code']]).toEqual([
        404,
        nobodys.text,
        nobodys.headers['x-error-code'],
      ]);
      expect(nobodys.status).toBe(404);
    },
  );

  it.each(lists.map((operation) => [operation.id, operation] as const))(
    '%s shows nothing of the other',
    async (_, operation) => {
      const { text } = await eve.call(operation.http.verb, operation.http.path);
      for (const secret of [...Object.values(ids), ada.email, 'Ada Ltd', 'Ada’s']) expect(text).not.toContain(secret);
    },
  );

  it('an id in a body leads nowhere either', async () => {
    const transfer = await eve.call('POST', '/organisations/current/transfer-ownership/', {
      body: { member_id: ids['member_id'] },
    });
    expect(transfer.status).toBe(404);
  });

  it('a member of one cannot act in the other by naming it', async () => {
    const { id } = expectOk(await ada.call<Organisation>('GET', '/organisations/current/'));
    for (const path of ['/organisations/current/', '/client-groups/']) {
      expect((await eve.call('GET', path, { organisationId: id })).status).toBe(403);
    }
  });

  it('leaves everything as it was after all these attempts', async () => {
    expect(await everythingOfAda()).toBe(before);
  });
});

const withoutUsage = (name: string, value: unknown): unknown => (name === 'usage' ? undefined : value);
