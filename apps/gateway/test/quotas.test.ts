import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newApiKey } from '@platform-backend/auth';
import type { LeaseQuotaRequest, QuotaLeaseInput, RecordUsageRequest } from '@platform-backend/contract-billing';
import { newId, type PermissionLevel } from '@platform-backend/core';
import type { CallContext, GrpcServer } from '@platform-backend/grpc';
import { waitFor } from '@platform-backend/testing';
import { startGatewayHere, type Gateway } from './gateway-here.ts';
import { startPlatform, type PlatformUnderTest } from './platform-under-test.ts';
import { startStandInService, type StandInHandler } from './stand-in-service.ts';

const GROUP = '0199c0de-0000-7000-8000-000000000001';
const KEY = '0199c0de-0000-7000-8000-0000000000aa';
const RESETS_AT = new Date(Date.now() + 3_600_000);

type Wish = LeaseQuotaRequest & { readonly organisationId: string };
type Answer = Partial<QuotaLeaseInput>;

let platform: PlatformUnderTest;
let billing: GrpcServer;
/** Serves most tests; who ends or breaks one starts another. */
let shared: Gateway;
/** Each test has its own, so that no lease of another is in its way. */
let organisationId = '';
/** How billing answers a wish; a test says it. */
let leaseOf: (wish: LeaseQuotaRequest) => Answer | Promise<Answer>;
let wishes: Wish[] = [];
let records: RecordUsageRequest['records'] = [];

beforeAll(async () => {
  platform = await startPlatform();
  const handlers = new Map<string, StandInHandler>([
    ['UsageService/LeaseQuota', answerWish],
    [
      'UsageService/RecordUsage',
      (request: RecordUsageRequest, { caller }: CallContext) => {
        if (caller.organisationId === organisationId) records.push(...request.records);
      },
    ],
  ]);
  billing = await startStandInService({ publicKeys: platform.publicKeys, domain: 'billing', handlers });
  shared = await startReplica();
});
beforeEach(() => {
  organisationId = newId();
  leaseOf = ({ requested }) => ({ granted: requested });
  wishes = [];
  records = [];
});
afterAll(async () => {
  await Promise.all([shared.stop(), billing.drain()]);
  await platform.stop();
});

/** No content service is configured: what gets as far as that is 503. */
const startReplica = (): Promise<Gateway> => startGatewayHere({ ...platform.env, BILLING_ADDRESS: billing.address });

async function answerWish(wish: LeaseQuotaRequest, { caller }: CallContext): Promise<QuotaLeaseInput> {
  const ours = caller.organisationId === organisationId;
  if (ours) wishes.push({ ...wish, organisationId });
  const answer = ours && wish.requested > 0 ? await leaseOf(wish) : {};
  return {
    leaseId: wish.leaseId,
    granted: 0,
    expiresAt: new Date(Date.now() + 10_000),
    state: 'OPEN',
    message: '',
    requestLimit: null,
    requestsRemaining: null,
    resetsAt: null,
    clientGroupId: wish.clientGroupId,
    exhausted: [],
    ...answer,
  };
}

/** Who comes with these headers is a member at this level, in the client group `GROUP`. */
async function person(level: PermissionLevel): Promise<Record<string, string>> {
  const sub = `${level} of ${organisationId}`;
  platform.identity.members.set(sub, [{ organisationId, level, clientGroupId: GROUP }]);
  return { authorization: `Bearer ${await platform.issuer.token({ claims: { sub } })}` };
}

function key(): Record<string, string> {
  const secret = newApiKey();
  const whose = { userId: 'id of user-ada', organisationId, clientGroupId: GROUP };
  platform.identity.addKey(secret, { id: KEY, ...whose, level: 'ADMIN', scopes: ['*:admin'] });
  return { authorization: `Bearer ${secret}` };
}

const read = (headers: Record<string, string>, gateway = shared): Promise<Response> =>
  fetch(`${gateway.url}/client-groups/`, { headers });
const submit = (headers: Record<string, string>): Promise<Response> =>
  fetch(`${shared.url}/agents/submit-to-assistant/`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"assistant_name":"Ada","new_message":"Hello"}',
  });

/** As many requests pass in all, whoever asks. */
function withLimit(limit: number): typeof leaseOf {
  let left = limit;
  return ({ requested }) => {
    const granted = Math.min(requested, left);
    left -= granted;
    return granted > 0
      ? { granted }
      : {
          state: 'OUT_OF_REQUESTS',
          message: 'The limit of requests is reached',
          requestLimit: String(limit),
          resetsAt: RESETS_AT,
        };
  };
}

describe('a hard limit of requests', () => {
  it('stops a member below ADMIN with 429, who is told when to come back', async () => {
    leaseOf = withLimit(3);
    const viewer = await person('VIEWER');
    for (let passed = 0; passed < 3; passed += 1) expect((await read(viewer)).status).toBe(200);
    const refused = await read(viewer);
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { detail: 'Too many requests', code: 'request_limit_reached' },
    ]);
    expect(refused.headers.get('x-error-code')).toBe('request_limit_reached');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(3_000);
    expect(refused.headers.get('ratelimit')).toBe(`"requests";r=0;t=${seconds}`);
    expect(refused.headers.get('ratelimit-policy')).toBe('"requests";q=3');
    expect((await read(await person('EDITOR'))).status).toBe(429);
  });

  it('stops an API key, whoever made it', async () => {
    leaseOf = withLimit(0);
    expect((await read(key())).status).toBe(429);
  });

  it.each(['ADMIN', 'OWNER'] as const)('warns an %s, lets every request pass and counts it', async (level) => {
    leaseOf = withLimit(2);
    const somebody = await person(level);
    for (let request = 0; request < 5; request += 1) {
      const answer = await read(somebody);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-credit-warning')).toBe(request < 2 ? null : 'The limit of requests is reached');
    }
    const total = (): number => records.reduce((sum, { requests }) => sum + Number(requests), 0);
    await waitFor(() => total() === 3);
    for (const record of records) expect(record).toMatchObject({ clientGroupId: GROUP, apiKeyId: null });
  });
});

describe('a hard limit of credits', () => {
  const withoutAi = ({ requested }: LeaseQuotaRequest): Answer => ({
    granted: requested,
    state: 'OUT_OF_CREDITS',
    message: 'The limit of AI credits is reached',
    exhausted: ['AI'],
  });

  it.each(['VIEWER', 'OWNER'] as const)('is 402 for what would spend them, for a %s as well', async (level) => {
    leaseOf = withoutAi;
    const refused = await submit(await person(level));
    expect([refused.status, await refused.json()]).toEqual([
      402,
      { detail: 'Credit limit reached', code: 'credit_limit_reached' },
    ]);
    expect(refused.headers.get('x-error-code')).toBe('credit_limit_reached');
  });

  it('lets everything else pass, with a warning', async () => {
    leaseOf = withoutAi;
    const answer = await read(await person('VIEWER'));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-credit-warning')).toBe('The limit of AI credits is reached');
  });

  it('stops nobody who would spend credits of another class', async () => {
    leaseOf = (wish) => ({ ...withoutAi(wish), exhausted: ['INFRASTRUCTURE'], message: 'something' });
    const answer = await submit(await person('VIEWER'));
    expect(answer.status).toBe(503);
    expect(answer.headers.get('x-credit-warning')).toBe('something');
  });
});

describe('a limit that is near', () => {
  it('is told in X-Credit-Warning', async () => {
    leaseOf = ({ requested }) => ({ granted: requested, state: 'WARNING', message: '80 % of the limit are used' });
    const answer = await read(await person('VIEWER'));
    expect([answer.status, answer.headers.get('x-credit-warning')]).toEqual([200, '80 % of the limit are used']);
  });
});

describe('requests are counted', () => {
  it('for the people of a client group together, and for every key by itself', async () => {
    for (const headers of [await person('VIEWER'), await person('EDITOR'), key()]) {
      expect((await read(headers)).status).toBe(200);
    }
    expect(wishes).toMatchObject([
      { organisationId, clientGroupId: GROUP, apiKeyId: null },
      { organisationId, clientGroupId: GROUP, apiKeyId: KEY },
    ]);
  });

  it('exactly: what was used of a lease is reported when the gateway ends, at the latest', async () => {
    const replica = await startReplica();
    const viewer = await person('VIEWER');
    for (let request = 0; request < 4; request += 1) await read(viewer, replica);
    await replica.stop();
    expect(wishes.reduce((sum, { usedOfLastLease }) => sum + usedOfLastLease, 0)).toBe(4);
    const given = new Set(wishes.filter(({ requested }) => requested > 0).map(({ leaseId }) => leaseId));
    expect(new Set(wishes.flatMap(({ lastLeaseId }) => lastLeaseId ?? []))).toEqual(given);
  });

  it('not where there is no organisation and no operation', async () => {
    const stranger = { authorization: `Bearer ${await platform.issuer.token({ claims: { sub: 'user-stranger' } })}` };
    expect((await fetch(`${shared.url}/organisations/`, { headers: stranger })).status).toBe(200);
    expect((await fetch(`${shared.url}/nowhere/`, { headers: await person('VIEWER') })).status).toBe(404);
    expect((await fetch(`${shared.url}/openapi.json`)).status).toBe(200);
    expect(wishes).toEqual([]);
  });
});

describe('billing that takes requests and never answers', () => {
  it('holds one request up, not each', async () => {
    leaseOf = () => new Promise(() => undefined);
    const replica = await startReplica();
    try {
      const viewer = await person('VIEWER');
      const startedAt = performance.now();
      expect((await read(viewer, replica)).status).toBe(200);
      const heldUpUntil = performance.now();
      for (let request = 0; request < 20; request += 1) expect((await read(viewer, replica)).status).toBe(200);
      expect((await read(key(), replica)).status).toBe(200);
      const others = performance.now() - heldUpUntil;
      expect(others / 21).toBeLessThan((heldUpUntil - startedAt) / 2);
    } finally {
      await replica.stop();
    }
  });
});
