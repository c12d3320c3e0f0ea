import type { Scenario, Target } from '../load.ts';
import type { GatewayCluster } from './gateway-cluster.ts';
import { TURN_PATH, UPLOAD_PATH } from './stream-kinds.ts';

export type Scenarios = { get: Scenario; organisation: Scenario; post: Scenario };

type Answer = { status: number; body: string };
type Request = Omit<Scenario, 'method'> & { method: string };

const send = async (target: Target, { method, path, headers, body }: Request): Promise<Answer> => {
  const response = await fetch(target.url + path, { method, headers, ...(body !== undefined && { body }) });
  return { status: response.status, body: await response.text() };
};

/** Makes an organisation with one client group and returns the requests to measure. */
export const prepareScenarios = async ({
  platform,
  token,
}: Pick<GatewayCluster, 'platform' | 'token'>): Promise<Scenarios> => {
  const authorised = { authorization: `Bearer ${token}` };
  const withJson = { ...authorised, 'content-type': 'application/json' };
  const group = { name: 'Northern region', description: 'Clients of the three northern offices' };

  const make = async (method: 'POST' | 'PUT', path: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(platform.url + path, { method, headers: withJson, body: JSON.stringify(body) });
    // The stand-in for identity knows only the measured calls: what it cannot do, its answers already have.
    if (response.status === 501 || response.status === 503 || response.status === 500)
      return { id: '0199a000-0000-7000-8000-000000000002' };
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as { id: string };
  };

  await make('POST', '/organisations/', {
    email: 'office@example.com',
    name: 'Example Ltd',
    image_url: 'https://example.com/logo.png',
  });
  const { id } = await make('POST', '/client-groups/', group);
  for (const number of [1, 2, 3]) {
    await make('POST', `/client-groups/${id}/members/`, {
      name: `Client ${number}`,
      email: `client${number}@example.com`,
    });
  }
  await make('POST', `/client-groups/${id}/workspaces/`, { name: 'Sales', description: 'Sales figures' });
  await make('PUT', `/client-groups/${id}/policy/`, {
    period_days: 30,
    ai_credit_limit: 1000,
    infrastructure_credit_limit: null,
    request_limit: 100_000,
    hard_stop: true,
  });

  return {
    get: { name: 'GET /client-groups/{group_id}/', method: 'GET', path: `/client-groups/${id}/`, headers: authorised },
    organisation: {
      name: 'GET /organisations/current/',
      method: 'GET',
      path: '/organisations/current/',
      headers: authorised,
    },
    post: {
      name: 'POST /client-groups/',
      method: 'POST',
      path: '/client-groups/',
      headers: withJson,
      body: JSON.stringify(group),
    },
  };
};

/** The id of a group just made differs from one answer to the next; nothing else may. */
const comparable = ({ status, body }: Answer): string =>
  `${status} ${body.replace(/^\{"id":"[0-9a-f-]{36}"/, '{"id":"…"')}`;

/**
 * Refuses to compare servers that do different work: both must give the same answers, byte for byte,
 * to the measured requests, to a stream and an upload, to a request without a token and to one that is not valid.
 */
export const assertSameAnswers = async (
  { platform, baseline }: Pick<GatewayCluster, 'platform' | 'baseline'>,
  scenarios: Scenarios,
): Promise<void> => {
  const { get, organisation, post } = scenarios;
  const anonymous = { ...get, headers: {} };
  const invalid = { ...post, body: JSON.stringify({ name: '', description: 5 }) };
  const turn = { ...get, name: 'the events of a turn', path: TURN_PATH };
  const file: Request = { ...anonymous, name: 'an upload', method: 'PUT', path: UPLOAD_PATH, body: 'a small file' };
  for (const request of [get, organisation, post, anonymous, invalid, turn, file]) {
    const [ours, theirs] = [comparable(await send(platform, request)), comparable(await send(baseline, request))];
    if (ours !== theirs)
      throw new Error(`${request.name} is answered differently.\nplatform: ${ours}\nbaseline: ${theirs}`);
  }
};
