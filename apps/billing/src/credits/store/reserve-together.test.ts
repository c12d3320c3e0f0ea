import { describe, expect, it } from '@jest/globals';
import { newId, serviceActorContext, withCaller } from '@platform-backend/core';
import type { Database } from '@platform-backend/postgres';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ReserveRow, ReservationInput } from './reserve-statement.ts';
import { reserveTogether } from './reserve-together.ts';

const at = new Date('2026-04-01T12:00:00.000Z');
const wantedOf = (organisationId: string): ReservationInput => ({
  by: serviceActorContext('pipelines', organisationId, 'request'),
  wanted: {
    ...{ id: newId(), amount: 1n, purpose: 'run', creditClass: 'AI', clientGroupId: null, apiKeyId: null },
    ...{ service: 'pipelines', expiresAt: at },
  },
  at,
  policy: { heardAfter: null, at },
});

/** Answers what was sent together and what alone; those that `leaves` says are left out of what is done together. */
function database({ leaves = (_id: string): boolean => false, fails = false } = {}) {
  const sent = { together: [] as string[][], alone: [] as string[] };
  const rowOf = (organisation_id: string) => ({ organisation_id, available_micros: '1' }) as ReserveRow;
  const ports = {
    statement: (organisationId: string) => {
      sent.alone.push(organisationId);
      return Promise.resolve([rowOf(organisationId)]);
    },
    systemStatement: (_statement: unknown, [all]: readonly [string]) => {
      const ids = (JSON.parse(all) as { organisation_id: string }[]).map((one) => one.organisation_id);
      sent.together.push(ids);
      return fails
        ? Promise.reject(new Error('credit_reservations_pkey'))
        : Promise.resolve(ids.filter((id) => !leaves(id)).map(rowOf));
    },
  } as unknown as Database;
  return { sent, reserve: reserveTogether(ports) };
}

describe('reservations that are asked for at the same time', () => {
  const organisations = Array.from({ length: 5 }, (_, number) => `org_${String(number)}`);
  const answers = async ({ reserve }: ReturnType<typeof database>, ids: readonly string[]) =>
    (await Promise.all(ids.map((id) => reserve(wantedOf(id))))).map((row) => row.organisation_id);

  it('are one statement for all organisations, and each hears of its own', async () => {
    const tried = database();
    expect(await answers(tried, organisations)).toEqual(organisations);
    expect(tried.sent).toEqual({ together: [organisations], alone: [] });
  });

  it('go alone for each further one of an organisation, and for one that comes by itself', async () => {
    const tried = database();
    expect(await answers(tried, ['org_a', 'org_b', 'org_a', 'org_a'])).toEqual(['org_a', 'org_b', 'org_a', 'org_a']);
    expect(await answers(tried, ['org_c'])).toEqual(['org_c']);
    expect(tried.sent).toEqual({ together: [['org_a', 'org_b']], alone: ['org_a', 'org_a', 'org_c'] });
  });

  it('go alone where an account is busy, and for all of them where one cannot be', async () => {
    const busy = database({ leaves: (id) => id === 'org_2' });
    expect(await answers(busy, organisations)).toEqual(organisations);
    expect(busy.sent.alone).toEqual(['org_2']);
    const failing = database({ fails: true });
    expect(await answers(failing, organisations)).toEqual(organisations);
    expect(failing.sent.alone).toEqual(organisations);
  });

  it('are written, with their events, as part of what their own callers do', async () => {
    const calls = new AsyncLocalStorage<string>();
    const written: (readonly [string, string | undefined])[] = [];
    const { reserve } = database();
    const traced = (id: string) => {
      const { wanted, ...rest } = wantedOf(id);
      const purpose = { get: () => written.push([id, calls.getStore()]) && 'run', enumerable: true };
      return { ...rest, wanted: Object.defineProperty({ ...wanted }, 'purpose', purpose) };
    };
    await Promise.all(['org_a', 'org_b'].map((id) => calls.run(id, () => reserve(traced(id)))));
    expect(new Set(written.map(([id]) => id))).toEqual(new Set(['org_a', 'org_b']));
    expect(written.filter(([id, call]) => id !== call)).toEqual([]);
  });

  it('are not made for callers who have left', async () => {
    const tried = database();
    const caller = new AbortController();
    const left = withCaller({ signal: caller.signal }, () => tried.reserve(wantedOf('org_left')));
    const others = ['org_a', 'org_b'].map((id) => tried.reserve(wantedOf(id)));
    caller.abort();
    await Promise.all([left, ...others]);
    // By itself it is refused before it is sent.
    expect(tried.sent).toEqual({ together: [['org_a', 'org_b']], alone: ['org_left'] });
  });

  it('are at most three statements at a time, of 64 organisations each', async () => {
    const tried = database();
    const many = Array.from({ length: 300 }, (_, number) => `org_${String(number)}`);
    expect(await answers(tried, many)).toEqual(many);
    expect(tried.sent.together.map(({ length }) => length)).toEqual([64, 64, 64, 64, 44]);
  });
});
