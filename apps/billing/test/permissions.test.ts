import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PERMISSION_LEVELS, type Caller, type PermissionLevel } from '@platform/auth';
import { loadContract } from '@platform/contract';
import { DomainError, newId } from '@platform/core';
import type { CallOptions } from '@platform/grpc';
import { startTestBilling, type TestBilling } from './test-billing.ts';

/** D14, written down once more and apart from the contract: least level, and whether an API key may. */
const rules: Readonly<Record<string, readonly [PermissionLevel, 'key' | 'no key']>> = {
  'CreditService/PreviewPrice': ['VIEWER', 'key'],
  'CreditService/GetCreditBalance': ['ADMIN', 'key'],
  'CreditService/ListCreditTransactions': ['ADMIN', 'key'],
  'CreditService/ListCreditGrants': ['ADMIN', 'key'],
  'CreditService/ListCreditPurchases': ['ADMIN', 'key'],
  'CreditService/GetCreditPurchase': ['ADMIN', 'key'],
  'CreditService/PurchaseCredits': ['OWNER', 'no key'],
  'UsageService/GetUsage': ['ADMIN', 'key'],
};
const own = ['CreditService', 'UsageService'];
const operations = loadContract().operations.filter(
  ({ domain, service }) => domain === 'billing' && own.includes(service.split('.').at(-1) ?? ''),
);
const nameOf = ({ service, method }: { service: string; method: string }) =>
  `${service.slice('platform.billing.v1.'.length)}/${method}`;

let billing: TestBilling;
beforeAll(async () => {
  billing = await startTestBilling();
});
afterAll(() => billing.stop());

const person = (level: PermissionLevel): Caller => ({
  kind: 'user',
  service: 'gateway',
  organisationId: 'org_nowhere',
  userId: newId(),
  userName: 'Nobody',
  userEmail: 'nobody@people.example',
  emailVerified: true,
  level,
  scopes: [],
});
const keyOf = (level: PermissionLevel, ...scopes: string[]): Caller => ({
  ...person(level),
  kind: 'api_key',
  apiKeyId: newId(),
  scopes,
});

/** `allowed` when the service got as far as looking at the request. */
async function outcome(
  name: string,
  caller: Caller,
  by: 'gateway' | 'pipelines' | 'identity' = 'gateway',
): Promise<string> {
  const [service = '', method = ''] = name.split('/');
  const clients = billing.asService(by);
  const client = (service === 'UsageService' ? clients.usage : clients.credits) as unknown as Record<
    string,
    (request: object, options: CallOptions) => Promise<unknown>
  >;
  const refusal: unknown = await client[method.charAt(0).toLowerCase() + method.slice(1)]?.({}, { caller }).then(
    () => undefined,
    (error: unknown) => error,
  );
  const kind = refusal instanceof DomainError ? refusal.kind : undefined;
  return kind === 'forbidden' || kind === 'unauthenticated' ? kind : 'allowed';
}

describe('permission', () => {
  it('is written down for every operation', () => {
    const open = operations.filter(({ access }) => access.credentials.length > 0);
    expect(Object.keys(rules).sort()).toEqual(open.map(nameOf).sort());
  });

  it.each(Object.entries(rules))('is given by level and credential: %s', async (name, [least, keys]) => {
    for (const [rank, level] of PERMISSION_LEVELS.entries()) {
      const reaches = rank >= PERMISSION_LEVELS.indexOf(least);
      expect([level, await outcome(name, person(level))]).toEqual([level, reaches ? 'allowed' : 'forbidden']);
      const byKey = keys === 'key' && reaches ? 'allowed' : 'forbidden';
      expect([level, 'key', await outcome(name, keyOf(level, '*:admin'))]).toEqual([level, 'key', byKey]);
      expect(await outcome(name, keyOf(level, 'elsewhere:admin'))).toBe('forbidden');
    }
    expect(await outcome(name, { kind: 'anonymous', service: 'gateway', scopes: [] })).toBe('unauthenticated');
    expect(await outcome(name, { kind: 'service', service: 'gateway', scopes: [] })).toBe('forbidden');
  });

  it.each(operations.filter(({ access }) => access.credentials.length === 0))(
    'is given to the named services alone where services talk to each other: $method',
    async (operation) => {
      const name = nameOf(operation);
      for (const by of ['gateway', 'pipelines', 'identity'] as const) {
        const caller: Caller = { kind: 'service', service: by, organisationId: 'org_nowhere', scopes: [] };
        const expected = operation.access.services.includes(by) ? 'allowed' : 'forbidden';
        expect([by, await outcome(name, caller, by)]).toEqual([by, expected]);
      }
      expect(await outcome(name, person('OWNER'))).toBe('forbidden');
    },
  );
});
