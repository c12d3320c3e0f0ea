import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { execFileSync } from 'node:child_process';
import { send, type Answer } from './http.ts';
import type { OwnPlatform } from './own-platform.ts';
import { expectOk, newOrganisation, newPerson, type Person } from './people.ts';
import { freeze, postgresOf, processOf } from './platform-process.ts';
import { startPlatform } from './platform.ts';
import type {
  ClientGroup,
  ClientGroupSummary,
  CreatedApiKey,
  CreditBalance,
  CreditPurchase,
  Organisation,
} from './resources.ts';

/** As few as can be paid for. */
const CREDITS = 42;

/** What a platform does while parts of it are killed, and when all of it is started anew. */
export const describeOutage = (own: () => OwnPlatform): void =>
  describe('a platform', () => {
    let tried: OwnPlatform;
    let ada: Person;
    let organisation: Organisation;
    let key: CreatedApiKey;

    beforeAll(async () => {
      tried = own();
      ada = await newPerson(tried.platform.facts, 'Ada');
      organisation = await newOrganisation(ada, 'Lasting Ltd');
      key = expectOk(
        await ada.call<CreatedApiKey>('POST', '/api-keys/', { body: { name: 'Lasting', scopes: ['*:read'] } }),
      );
      await welcomed(ada);
    });

    /** What a new organisation is given, once it is there, in micros. */
    const welcomed = (owner: Person): Promise<number> =>
      waitFor(async () => expectOk(await owner.call<CreditBalance>('GET', '/credits/balance/')).available_micros, {
        what: 'the credits of the beginning',
      });

    it('answers 503 with Retry-After when identity is killed, what needs no service as ever, and recovers by itself', async () => {
      const gateway = processOf(tried.platform.facts, 'gateway');
      process.kill(processOf(tried.platform.facts, 'identity'), 'SIGKILL');
      const [alive, unknown] = await Promise.all([
        send(tried.platform.facts.url, 'GET', '/healthz'),
        send(tried.platform.facts.url, 'GET', '/nowhere/'),
      ]);
      expect([alive.status, unknown.status]).toEqual([200, 404]);

      const refused = await waitFor(
        async () => {
          const answer = await ada.call<{ detail: string }>('GET', '/organisations/current/');
          return answer.status === 503 ? answer : undefined;
        },
        { what: 'a 503' },
      );
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(refused.body.detail).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|identity:/);

      await waitFor(async () => (await ada.call('GET', '/organisations/current/')).status === 200, {
        what: 'identity to be back',
      });
      await waitFor(async () => (await send(tried.platform.facts.url, 'GET', '/readyz')).status === 200, {
        what: 'the platform to be ready again',
      });
      expect(processOf(tried.platform.facts, 'gateway')).toBe(gateway);
    });

    it('knows what was bought while billing is killed, and loses nothing of it', async () => {
      const body = { seat_count: 7, subscription_tier: 'TEAM' };
      // Billing may take a moment to find identity again after the test before.
      organisation = await waitFor(
        async () => {
          const answer = await ada.call<Organisation>('POST', '/organisations/subscription/', { body });
          return answer.status === 200 ? answer.body : undefined;
        },
        { what: 'billing to reach identity' },
      );
      expectOk(await ada.call('POST', '/credits/purchases/', { body: { credits: CREDITS } }));
      const balance = expectOk(await ada.call('GET', '/credits/balance/'));
      process.kill(processOf(tried.platform.facts, 'billing'), 'SIGKILL');

      expect(organisation).toMatchObject({ subscription_tier: 'TEAM', max_member_limit: 7 });
      expect(expectOk(await ada.call<Organisation>('GET', '/organisations/current/'))).toEqual(organisation);
      const byKey = await send(tried.platform.facts.url, 'GET', '/client-groups/', { apiKey: key.api_key });
      expect(byKey.status).toBe(200);
      await waitFor(async () => (await ada.call('GET', '/credits/balance/')).status === 200, {
        what: 'billing to be back',
      });
      expect(expectOk(await ada.call('GET', '/credits/balance/'))).toEqual(balance);
    });

    it('gives credits once for every purchase when billing is killed in the midst of many', async () => {
      const buyer = await newPerson(tried.platform.facts, 'Bea');
      await newOrganisation(buyer);
      const atFirst = await welcomed(buyer);
      const movements = async () =>
        expectOk(await buyer.call<unknown[]>('GET', '/credits/transactions/?limit=200')).length;
      const movementsAtFirst = await movements();
      const bought: Promise<Answer<CreditPurchase>>[] = [];
      for (let n = 0; n < 30; n += 1) {
        bought.push(buyer.call<CreditPurchase>('POST', '/credits/purchases/', { body: { credits: CREDITS } }));
        if (n === 15) {
          await Promise.race(bought);
          process.kill(processOf(tried.platform.facts, 'billing'), 'SIGKILL');
        }
      }
      const answers = await Promise.all(bought);
      const succeeded = answers.filter(({ status }) => status === 200).map(({ body }) => body.id);
      expect(succeeded.length).toBeGreaterThan(0);
      const all = () => buyer.call<CreditPurchase[]>('GET', '/credits/purchases/?limit=200');
      const settled = await waitFor(
        async () => {
          const { status, body } = await all();
          return status === 200 && body.every((each) => each.status === 'SUCCEEDED') ? body : undefined;
        },
        { what: 'every purchase to be finished' },
      );
      expect(settled.map(({ id }) => id)).toEqual(expect.arrayContaining(succeeded));
      const { available_micros } = expectOk(await buyer.call<CreditBalance>('GET', '/credits/balance/'));
      expect(available_micros).toBe(atFirst + settled.length * CREDITS * 1_000_000);
      expect(await movements()).toBe(movementsAtFirst + settled.length);
    });

    it('has all its data in a copy of its home, with a NATS that is new, and tells what was not told yet', async () => {
      const group = expectOk(await ada.call<ClientGroup>('POST', '/client-groups/', { body: { name: 'Still here' } }));
      const balance = expectOk(await ada.call<CreditBalance>('GET', '/credits/balance/'));
      const convention = { title: 'Holidays', content: 'Everybody has thirty days.' };
      const { id: conventionId } = expectOk(
        await ada.call<{ id: string }>('POST', '/conventions/', { body: convention }),
      );
      await tried.platform.stop();
      await expect(send(tried.platform.facts.url, 'GET', '/healthz')).rejects.toThrow('ECONNREFUSED');

      const { home } = tried.platform.facts;
      const copy = `${home}-copy`;
      // With the owners of the files: servers run as accounts of their own.
      execFileSync('cp', ['--archive', home, copy]);
      // With its data, and on the same port.
      await tried.nats.drop();
      await tried.nats.start();
      tried.platform.forget();
      const earlier = { ...tried.platform.facts, home: copy };
      const environment = {
        ...{ NATS_URL: tried.nats.url, NOTEBOOKS_WARM_KERNELS: '0' },
        // What hangs below is given up sooner than tests usually are.
        ...{ GATEWAY_READ_DEADLINE_MS: '5000', GATEWAY_CALLER_LOOK_UP_MS: '5000' },
      };
      tried.platform = await startPlatform({ earlier, environment });
      // Tokens and keys of before are good as well.
      expect(expectOk(await ada.call<Organisation>('GET', '/organisations/current/'))).toEqual(organisation);
      const groups = expectOk(
        await send<ClientGroupSummary[]>(tried.platform.facts.url, 'GET', '/client-groups/', { apiKey: key.api_key }),
      );
      expect(groups.map(({ id }) => id)).toContain(group.id);
      expect(expectOk(await ada.call('GET', '/credits/balance/'))).toEqual(balance);
      expect(expectOk(await ada.call('GET', `/conventions/${conventionId}`))).toMatchObject(convention);
      // Content tells identity by events, which are all published again: each entry is there once.
      expectOk(await ada.call('POST', '/conventions/', { body: { ...convention, title: 'And later' } }));
      const titles = await waitFor(
        async () => {
          const entries = expectOk(
            await ada.call<{ after: { title: string } }[]>('GET', '/audit-log/?action=convention.created'),
          );
          return entries.length > 1 ? entries.map(({ after }) => after.title) : undefined;
        },
        { what: 'the audit log of what came after' },
      );
      expect(titles.sort()).toEqual(['And later', 'Holidays']);
    });

    const conventions = () => ada.call('GET', '/conventions/');
    const organisationNow = () => ada.call('GET', '/organisations/current/');
    const readiness = () => send(tried.platform.facts.url, 'GET', '/readyz');
    const withStatus = (statuses: readonly number[], ask: () => Promise<Answer>, what: string) =>
      waitFor(
        async () => {
          const answer = await ask();
          return statuses.includes(answer.status) ? answer : undefined;
        },
        { what },
      );
    const mayComeAgain = ({ headers }: Answer) => expect(Number(headers['retry-after'])).toBeGreaterThan(0);

    it.each([
      ['PostgreSQL', () => postgresOf(tried.platform.facts)],
      ['identity', () => [processOf(tried.platform.facts, 'identity')]],
    ])('tells to come again while %s hangs, goes on with content for who is known, and recovers', async (_, pids) => {
      let goOn = (): void => undefined;
      try {
        // A person is known for 1.5 s, within which a busy machine may not have answered.
        await waitFor(
          async () => {
            if ((await conventions()).status !== 200) return false;
            goOn = freeze(pids());
            if ((await conventions()).status === 200) return true;
            goOn();
            return false;
          },
          { what: 'content to answer without it' },
        );
        mayComeAgain(await withStatus([503], readiness, 'the gateway to be not ready'));
        for (const ask of [conventions, organisationNow])
          mayComeAgain(await withStatus([503, 504], ask, 'nobody to be known any more'));
        expect((await send(tried.platform.facts.url, 'GET', '/healthz')).status).toBe(200);
      } finally {
        goOn();
      }
      for (const ask of [conventions, organisationNow, readiness]) await withStatus([200], ask, 'it to recover');
    });
  });
