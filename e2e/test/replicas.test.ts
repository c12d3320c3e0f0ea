import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateServiceKeys } from '@platform-backend/auth';
import { repetitions, waitFor } from '@platform-backend/testing';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { send, type Answer } from '../src/http.ts';
import { expectOk, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { environmentOf, processOf } from '../src/platform-process.ts';
import { sharedPlatform } from '../src/platform.ts';
import { twoReplicas, type Replica, type Replicas } from '../src/replicas.ts';
import type { ClientGroupSummary, CreditBalance, CreditPurchase } from '../src/resources.ts';

const platform = sharedPlatform();
/** Small pools: the database is shared with everything else that the journeys use. */
const POOLS = { IDENTITY_DATABASE_POOL: '5', IDENTITY_AUTHENTICATION_POOL: '2', BILLING_DATABASE_POOL: '5' };
/** What a killed process leaves behind is taken up soon. */
const SOON = { BILLING_CHANGE_LEASE_SECONDS: '5', BILLING_SCHEDULE_SECONDS: '1' };
/** Longer than it takes to learn that a gateway is ready and then to send it a request. */
const DRAIN_DELAY = { GATEWAY_DRAIN_DELAY_MS: '3000' };
const METRICS = { METRICS_LISTEN: '127.0.0.1:0' };

/** As few as can be paid for. */
const CREDITS = 42;
/** Who reads and writes at once meanwhile. */
const CLIENTS = repetitions({ usual: 2, long: 4 });
/** Between what each of them does. */
const PAUSE_MS = repetitions({ usual: 500, long: 200 });
/** Of how many requests those left over show that they do the work of one that was killed. */
const REQUESTS_MEANWHILE = repetitions({ usual: 20, long: 40 });
/** New keys are made known to whoever checks them by a restart; in the usual form they know them from their start. */
const MADE_KNOWN = repetitions({ usual: 0, long: 1 }) === 1;

/** Keys of the gateway for cursors and for what it asks of services, as each process is told of them while they are replaced. */
async function newKeys() {
  const old = environmentOf(processOf(platform, 'gateway'))['CURSOR_KEY'] ?? '';
  const own = randomBytes(32).toString('base64url');
  const { privateKeys, publicKeys } = await generateServiceKeys(['gateway']);
  const { keys: known } = JSON.parse(environmentOf(processOf(platform, 'identity'))['SERVICE_PUBLIC_KEYS'] ?? '') as {
    keys: { kid: string }[];
  };
  const told = (keys: readonly object[]) => ({ SERVICE_PUBLIC_KEYS: JSON.stringify({ keys }) });
  return {
    both: told([...known, ...publicKeys.keys]),
    newOnes: told([...known.filter(({ kid }) => kid !== 'gateway'), ...publicKeys.keys]),
    signing: { SERVICE_PRIVATE_KEY: JSON.stringify(privateKeys.gateway) },
    cursor: {
      known: { CURSOR_KEY_OTHER: own },
      used: { CURSOR_KEY: own, CURSOR_KEY_OTHER: old },
      alone: { CURSOR_KEY_OTHER: '' },
    },
  };
}

describe('two replicas of every service behind two gateways', () => {
  let identity: Replicas;
  let billing: Replicas;
  let gateways: Replicas;
  let keys: Awaited<ReturnType<typeof newKeys>>;
  beforeAll(async () => {
    keys = await newKeys();
    const [knownAtFirst, cursorKeysAtFirst] = MADE_KNOWN ? [{}, {}] : [keys.both, keys.cursor.known];
    const listen = (name: string) => (port: number) => ({ [name]: `127.0.0.1:${port}`, ...METRICS });
    identity = await twoReplicas(platform, 'identity', listen('IDENTITY_LISTEN'), { ...POOLS, ...knownAtFirst });
    const addresses = { IDENTITY_ADDRESS: identity.addresses };
    billing = await twoReplicas(platform, 'billing', listen('BILLING_LISTEN'), {
      ...{ ...POOLS, ...SOON, ...addresses },
      ...knownAtFirst,
    });
    gateways = await twoReplicas(
      platform,
      'gateway',
      (port) => ({ PLATFORM_PORT: String(port), GATEWAY_METRICS_PORT: '0' }),
      { ...addresses, BILLING_ADDRESS: billing.addresses, ...DRAIN_DELAY, ...cursorKeysAtFirst },
    );
  });
  afterAll(async () => {
    for (const { all } of [gateways, billing, identity]) await Promise.all(all.map((each) => each.stop()));
  });

  let turn = 0;
  /** What a load balancer does: takes turns, and sends nothing to a gateway that does not say that it is ready. */
  const throughAnyGateway: Person['call'] = (method, path, parts) =>
    waitFor(
      async () => {
        const gateway = gateways.all[turn++ % 2];
        const url = `http://${String(gateway?.address)}`;
        return (await send(url, 'GET', '/readyz')).status === 200 ? url : undefined;
      },
      { what: 'a gateway that is ready' },
    ).then((url) => send(url, method, path, parts));

  /** Somebody who reads and writes until told to stop, and what came of it. */
  const usage = (user: Person) => {
    const call: Person['call'] = (method, path, parts) =>
      throughAnyGateway(method, path, { token: user.token, ...parts });
    const refused: (Answer & { kind: 'read' | 'write' })[] = [];
    const groups = { made: [] as string[], unsure: [] as string[] };
    const purchases = { made: [] as string[], unsure: 0 };
    let requests = 0;
    let stopped = false;
    const judged = <Body>(kind: 'read' | 'write', answer: Answer<Body>): Answer<Body> => {
      requests += 1;
      // Accepted and not paid within seconds, on a machine that has much to do: its credits follow.
      if (answer.status !== 200 && answer.status !== 202) refused.push({ ...answer, kind });
      return answer;
    };
    const read = async (path: string) => judged('read', await call('GET', path));
    const write = async <Body>(path: string, body: object) => judged('write', await call<Body>('POST', path, { body }));
    const clientOf = async (name: string) => {
      for (let n = 0; !stopped; n += 1) {
        const group = `${name}-${n}`;
        const made = await write('/client-groups/', { name: group });
        groups[made.status === 200 ? 'made' : 'unsure'].push(group);
        await read('/client-groups/?limit=5');
        await read('/organisations/current/');
        const bought = await write<CreditPurchase>('/credits/purchases/', { credits: CREDITS });
        if (bought.status === 200 || bought.status === 202) purchases.made.push(bought.body.id);
        else purchases.unsure += 1;
        await read('/credits/balance/');
        // Leaves the processors to what is being started.
        await delay(PAUSE_MS);
      }
    };
    const clients = Promise.all(['a', 'b', 'c', 'd'].slice(0, CLIENTS).map(clientOf));
    return {
      requests: () => requests,
      refused,
      groups,
      purchases,
      /** Ends when every request has been answered. */
      stop: async () => {
        stopped = true;
        await clients;
      },
    };
  };

  const allPages = async <Item>(user: Person, path: string): Promise<Item[]> => {
    const found: Item[] = [];
    for (let query = '?limit=200'; ;) {
      const { body, headers } = await throughAnyGateway<Item[]>('GET', `${path}${query}`, { token: user.token });
      found.push(...body);
      const next = headers['x-next-cursor'];
      if (next === undefined) return found;
      query = `?limit=200&cursor=${encodeURIComponent(next)}`;
    }
  };

  const namesOfGroups = async (user: Person): Promise<string[]> => {
    const names = (await allPages<ClientGroupSummary>(user, '/client-groups/')).map(({ name }) => name);
    return names.filter((name) => /^[a-d]-\d+$/.test(name)).sort();
  };

  const settledPurchases = (user: Person): Promise<CreditPurchase[]> =>
    waitFor(
      async () => {
        const all = await allPages<CreditPurchase>(user, '/credits/purchases/');
        return all.every(({ status }) => status === 'SUCCEEDED') ? all : undefined;
      },
      { what: 'every purchase to be finished' },
    );

  const creditsOf = async (user: Person): Promise<number> =>
    expectOk(await throughAnyGateway<CreditBalance>('GET', '/credits/balance/', { token: user.token }))
      .available_micros;

  /** A cursor that ends after the first client group, and what comes then. */
  const firstPage = async (user: Person) => {
    const { headers } = await throughAnyGateway('GET', '/client-groups/?limit=1', { token: user.token });
    const cursor = headers['x-next-cursor'] ?? '';
    const { body } = await nextPage(user, `http://${gateways.all[0].address}`, cursor);
    return { cursor, next: body };
  };

  const nextPage = (user: Person, url: string, cursor: string) =>
    send(url, 'GET', `/client-groups/?limit=1&cursor=${encodeURIComponent(cursor)}`, { token: user.token });

  /** Makes a client group, once for the key. */
  const makeOnce = (user: Person, key: string, url?: string): Promise<Answer> => {
    const parts = { token: user.token, headers: { 'idempotency-key': key }, body: { name: 'Once' } };
    return url === undefined
      ? throughAnyGateway('POST', '/client-groups/', parts)
      : send(url, 'POST', '/client-groups/', parts);
  };

  /** Somebody uses it, and by the same way as everybody: it answers what others ask for. */
  const untilUsed = (replica: Replica) =>
    waitFor(async () => (await replica.answered()) > 0, { what: `requests on ${replica.address}` });

  const newOwner = async (name: string): Promise<Person> => {
    const owner = await newPerson(platform, name);
    await newOrganisation(owner);
    return owner;
  };

  describe('restarted in turn, and so given new keys', () => {
    let cleo: Person;
    let load: ReturnType<typeof usage>;
    let page: Awaited<ReturnType<typeof firstPage>>;
    beforeAll(async () => {
      cleo = await newOwner('Cleo');
      const idempotencyKey = randomUUID();
      for (const key of [randomUUID(), idempotencyKey]) expectOk(await makeOnce(cleo, key));
      page = await firstPage(cleo);
      load = usage(cleo);
      const round = async ({ all }: Replicas, changed: Record<string, string>) => {
        for (const replica of all) {
          await replica.restart(changed);
          await untilUsed(replica);
        }
      };
      /** On each gateway, whichever keys it has: the cursor goes on, and what was done once is answered as then. */
      const isRemembered = async () => {
        for (const { address } of gateways.all) {
          const next = await nextPage(cleo, `http://${address}`, page.cursor);
          expect([next.status, next.body]).toEqual([200, page.next]);
          expect((await makeOnce(cleo, idempotencyKey, `http://${address}`)).text).toBe(
            (await makeOnce(cleo, idempotencyKey)).text,
          );
        }
      };

      const { both, newOnes, cursor, signing } = keys;
      if (MADE_KNOWN) {
        await Promise.all([round(identity, both), round(billing, both), round(gateways, cursor.known)]);
        await isRemembered();
      }
      await round(gateways, { ...cursor.used, ...signing });
      await isRemembered();
      await Promise.all([round(identity, newOnes), round(billing, newOnes), round(gateways, cursor.alone)]);
      await load.stop();
    });

    it('are used meanwhile, and no request fails and none is done twice', async () => {
      expect(load.refused.map(({ kind, status, text }) => [kind, status, text])).toEqual([]);
      expect(await namesOfGroups(cleo)).toEqual(load.groups.made.sort());
      const purchases = await settledPurchases(cleo);
      expect(purchases.map(({ id }) => id).sort()).toEqual(load.purchases.made.sort());
      expect(await creditsOf(cleo)).toBe(purchases.length * CREDITS * 1_000_000);
    });

    it('know the old keys no more: of the gateway’s, all that it asks for since is signed with the new one', async () => {
      expect((await nextPage(cleo, `http://${gateways.all[0].address}`, page.cursor)).status).toBe(422);
    });
  });

  it('lose one at a time without losing a read, and a write that was refused has happened at most once', async () => {
    const bea = await newOwner('Bea');
    const load = usage(bea);
    for (const replica of [identity.all[0], billing.all[1]]) {
      await untilUsed(replica);
      await replica.kill();
      const before = load.requests();
      await waitFor(() => load.requests() > before + REQUESTS_MEANWHILE, { what: 'the other replica to do the work' });
      await replica.start();
      await untilUsed(replica);
    }
    await load.stop();

    for (const { status, headers, kind } of load.refused) {
      expect([kind, status]).toEqual(['write', 503]);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    const names = await namesOfGroups(bea);
    expect(names).toEqual([...new Set(names)]);
    expect(names).toEqual(expect.arrayContaining(load.groups.made));
    expect([...load.groups.made, ...load.groups.unsure]).toEqual(expect.arrayContaining(names));
    const purchases = await settledPurchases(bea);
    expect(purchases.map(({ id }) => id)).toEqual(expect.arrayContaining(load.purchases.made));
    expect(purchases.length).toBeLessThanOrEqual(load.purchases.made.length + load.purchases.unsure);
    expect(await creditsOf(bea)).toBe(purchases.length * CREDITS * 1_000_000);
  });
});
