import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { QueryMeterRequestInput, UsageEventInput } from '@platform-backend/contract-billing';
import { fixedClock, newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { repetitions, waitFor } from '@platform-backend/testing';
import fc from 'fast-check';
import { Client } from 'pg';
import { connectAsSuperuser } from '../../../test/ledger-soundness.ts';
import { startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { metersStore } from '../store/meters-store.ts';

/** At noon, so that nothing here lies on both sides of a midnight. */
const noon = new Date('2026-11-25T12:00:00Z');
const clock = fixedClock(noon);
let billing: TestBilling;
beforeAll(async () => {
  billing = await startTestBilling({ clock, idle: true });
});
afterAll(() => billing.stop());

const hoursAgo = (hours: number) => new Date(noon.getTime() - hours * 3_600_000);
const admin = (organisationId: string) => member(organisationId, 'ADMIN');
const event = (id: string, data: UsageEventInput['data'], more: Partial<UsageEventInput> = {}): UsageEventInput => ({
  ...{ specversion: '1.0', id, source: 'shop', type: 'prompt', time: noon, data },
  ...more,
});
const ingest = (organisationId: string, ...events: UsageEventInput[]) =>
  billing.meters.ingestUsageEvents({ events }, admin(organisationId));
const create = async (organisationId: string, aggregation: Aggregation, more: object = {}) => {
  const definition = {
    ...{ slug: aggregation.toLowerCase(), eventType: 'prompt', aggregation, groupBy: { model: '$.model' } },
    ...{ valueProperty: aggregation === 'COUNT' ? null : '$.tokens' },
  };
  return (await billing.meters.createMeter({ ...definition, ...more }, admin(organisationId))).id;
};
const query = async (organisationId: string, meterId: string, asked: Omit<QueryMeterRequestInput, 'meterId'> = {}) =>
  (
    await billing.meters.queryMeter(
      { meterId, to: new Date(noon.getTime() + 3_600_000), ...asked },
      admin(organisationId),
    )
  ).rows;

type Aggregation = 'SUM' | 'COUNT' | 'MAX' | 'UNIQUE_COUNT' | 'LATEST';
const aggregations: readonly Aggregation[] = ['SUM', 'COUNT', 'MAX', 'UNIQUE_COUNT', 'LATEST'];

describe('usage events', () => {
  it('are counted once by source and id, however often and in whatever lists they come', async () => {
    const organisationId = newOrganisation();
    const meterId = await create(organisationId, 'SUM');
    const one = event('1', { tokens: 0.1 });
    const other = event('1', { tokens: '0.2' }, { source: 'elsewhere' });
    expect(await ingest(organisationId, one, one, other)).toEqual({ accepted: 2, duplicates: 1 });
    expect(await Promise.all([1, 2, 3].map(() => ingest(organisationId, other, one)))).toEqual(
      [1, 2, 3].map(() => ({ accepted: 0, duplicates: 2 })),
    );
    expect(await query(organisationId, meterId)).toMatchObject([{ value: '0.3' }]);
  });

  it('may come late and in any order, but not later than said', async () => {
    const organisationId = newOrganisation();
    const meterId = await create(organisationId, 'LATEST');
    const late = event('late', { tokens: 1 }, { time: hoursAgo(30 * 24 - 1) });
    await ingest(organisationId, event('now', { tokens: 9 }));
    await ingest(organisationId, late, event('before', { tokens: 5 }, { time: hoursAgo(0.5) }));
    expect(await query(organisationId, meterId, { from: hoursAgo(31 * 24) })).toMatchObject([{ value: '9' }]);
    const tooLate = event('too late', { tokens: 1 }, { time: hoursAgo(30 * 24 + 1) });
    const tooEarly = event('too early', { tokens: 1 }, { time: hoursAgo(-2) });
    expect(await refusalOf(ingest(organisationId, event('good', { tokens: 1 }), tooLate, tooEarly))).toMatchObject({
      kind: 'invalid',
      violations: [{ loc: ['body', 1, 'time'] }, { loc: ['body', 2, 'time'] }],
    });
    expect(await ingest(organisationId, event('good', { tokens: 1 }))).toMatchObject({ accepted: 1 });
  });

  it('without a value that a meter counts are named each, and none of the list is counted', async () => {
    const organisationId = newOrganisation();
    await create(organisationId, 'MAX');
    const count = await create(organisationId, 'COUNT');
    const wrong = [{}, { tokens: 'many' }, { tokens: null }, { tokens: 1e30 }, { tokens: [1] }];
    const refused = await refusalOf(
      ingest(organisationId, event('good', { tokens: 1 }), ...wrong.map((data, n) => event(String(n), data))),
    );
    expect(refused.violations?.map(({ loc }) => loc)).toEqual(wrong.map((_, n) => ['body', n + 1, 'data', 'tokens']));
    expect(await query(organisationId, count)).toEqual([]);
    expect(await ingest(organisationId, event('else', {}, { type: 'nobody counts' }))).toMatchObject({ accepted: 1 });
  });

  it('are limited in number and size, and have texts that can be stored', async () => {
    const organisationId = newOrganisation();
    await create(organisationId, 'COUNT');
    const many = Array.from({ length: 1_001 }, (_, n) => event(String(n), {}));
    for (const events of [
      many,
      [event('large', { text: 'x'.repeat(3_000) })],
      [event('none', {}, { specversion: '0.3' })],
      [event('', {})],
      [event('nul', { model: 'a\u0000' })],
    ])
      expect((await refusalOf(ingest(organisationId, ...events))).kind).toBe('invalid');
  });
});

describe('a meter', () => {
  it('is one of a hundred at most, however many are made at once', async () => {
    const organisationId = newOrganisation();
    const make = (at: number) =>
      billing.meters.createMeter(
        { slug: `m${String(at)}`, name: '', description: '', eventType: 'prompt', aggregation: 'COUNT' },
        admin(organisationId),
      );
    await make(0);
    await billing.pool.tenant(organisationId, (trx) =>
      trx.raw(
        `INSERT INTO meters SELECT (jsonb_populate_record(one, jsonb_build_object('id', gen_random_uuid(), 'slug', 'more' || n))).*
         FROM meters one, generate_series(1, 98) AS n WHERE one.organisation_id = ?`,
        [organisationId],
      ),
    );
    // Held up until both of them have looked how many there are, or one waits for the other.
    const superuser = await connectAsSuperuser(billing.database);
    await superuser.query('BEGIN; LOCK TABLE outbox IN EXCLUSIVE MODE');
    const making = Promise.allSettled([1, 2].map(make));
    await waitFor(async () => {
      const { rows } = await billing.pool.knex.raw<{ rows: [{ waiting: number }] }>(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows[0].waiting >= 2;
    });
    await superuser.query('COMMIT');
    await superuser.end();
    expect((await making).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refusalOf(make(9))).toMatchObject({ code: 'too_many_meters' });
  });

  it('is described once, called something else, and archived, after which it counts no more', async () => {
    const organisationId = newOrganisation();
    const meterId = await create(organisationId, 'COUNT');
    expect(await refusalOf(create(organisationId, 'COUNT'))).toMatchObject({ code: 'meter_slug_taken' });
    const renamed = await billing.meters.updateMeter(
      { meterId, name: 'Prompts', description: '', updateMask: { paths: ['name'] } },
      admin(organisationId),
    );
    expect(renamed).toMatchObject({ name: 'Prompts', aggregation: 'COUNT', archivedAt: null });
    await ingest(organisationId, event('1', {}));
    await billing.meters.archiveMeter({ meterId }, admin(organisationId));
    await ingest(organisationId, event('2', {}));
    expect(await query(organisationId, meterId)).toMatchObject([{ value: '1' }]);
    expect((await billing.meters.listMeters({}, admin(organisationId))).meters).toEqual([]);
    expect((await billing.meters.listMeters({ includeArchived: true }, admin(organisationId))).meters).toHaveLength(1);
    const again = await create(organisationId, 'COUNT');
    expect(await query(organisationId, again)).toEqual([]);
    expect(await refusalOf(billing.meters.getMeter({ meterId }, admin(newOrganisation())))).toMatchObject({
      code: 'meter_not_found',
    });
  });

  it.each([
    [{ aggregation: 'SUM', valueProperty: null }, ['value_property']],
    [{ aggregation: 'SUM', valueProperty: 'tokens' }, ['value_property']],
    [{ aggregation: 'COUNT', valueProperty: '$.tokens' }, ['value_property']],
    [{ aggregation: 'COUNT', valueProperty: null, groupBy: { subject: '$.a' } }, ['group_by', 'subject']],
    [{ aggregation: 'COUNT', valueProperty: null, groupBy: { model: '$..a' } }, ['group_by', 'model']],
  ])('is refused where it cannot count: %j', async (wrong, loc) => {
    const { violations } = await refusalOf(create(newOrganisation(), 'SUM', wrong));
    expect(violations?.map((one) => one.loc)).toEqual([['body', ...loc]]);
  });

  it('tells by window, group and filter, page by page', async () => {
    const organisationId = newOrganisation();
    const meterId = await create(organisationId, 'SUM');
    const told = (id: string, tokens: number, model: string, subject: string, hours: number) =>
      event(id, { tokens, model }, { subject, time: hoursAgo(hours) });
    await ingest(
      organisationId,
      ...[told('1', 1, 'a', 'x', 0), told('2', 2, 'b', 'x', 0), told('3', 4, 'a', 'y', 3), told('4', 8, 'a', 'x', 26)],
      event('5', { tokens: 16 }, { time: hoursAgo(26) }),
    );
    const values = async (asked: Omit<QueryMeterRequestInput, 'meterId'>) =>
      (await query(organisationId, meterId, asked)).map(({ value }) => Number(value));
    expect(await values({})).toEqual([31]);
    expect(await values({ windowSize: 'DAY' })).toEqual([7, 24]);
    expect(await values({ windowSize: 'HOUR' })).toEqual([3, 4, 24]);
    expect(await values({ windowSize: 'MONTH' })).toEqual([31]);
    expect(await values({ filter: ['model=a'] })).toEqual([13]);
    expect(await values({ filter: ['model=a', 'model=b', 'subject=x'] })).toEqual([11]);
    expect(await values({ from: hoursAgo(3), to: noon })).toEqual([4]);
    const rows = await query(organisationId, meterId, { groupBy: ['model'] });
    expect(new Map(rows.map(({ groupBy, value }) => [groupBy['model'], value]))).toEqual(
      new Map([
        ['a', '13'],
        ['b', '2'],
        [undefined, '16'],
      ]),
    );
    const [day] = await query(organisationId, meterId, { windowSize: 'DAY' });
    expect(day).toMatchObject({
      windowStart: new Date('2026-11-25T00:00:00Z'),
      windowEnd: new Date('2026-11-26T00:00:00Z'),
    });
    const all = await query(organisationId, meterId, { windowSize: 'HOUR', groupBy: ['subject', 'model'] });
    const paged = [];
    let cursor = '';
    do {
      const asked = { meterId, to: new Date(noon.getTime() + 3_600_000), limit: 2, cursor };
      const page = await billing.meters.queryMeter(
        { ...asked, windowSize: 'HOUR', groupBy: ['subject', 'model'] },
        admin(organisationId),
      );
      paged.push(...page.rows);
      cursor = page.nextCursor;
    } while (cursor !== '');
    expect(paged).toEqual(all);
    for (const wrong of [
      { groupBy: ['region'] },
      { filter: ['region=eu'] },
      { windowSize: 'HOUR', from: hoursAgo(32 * 24) },
      { from: hoursAgo(402 * 24) },
    ] as const)
      expect((await refusalOf(query(organisationId, meterId, wrong as object))).kind).toBe('invalid');
  });

  it('tells all of the last 30 days page by page, also while an hour turns', async () => {
    const organisationId = newOrganisation();
    const meterId = await create(organisationId, 'COUNT');
    const models = ['a', 'b', 'c'];
    await ingest(organisationId, ...models.map((model) => event(model, { model }, { time: hoursAgo(1) })));
    const told: (string | undefined)[] = [];
    let cursor = '';
    do {
      const page = await billing.meters.queryMeter(
        { meterId, groupBy: ['model'], limit: 1, cursor },
        admin(organisationId),
      );
      told.push(...page.rows.map(({ groupBy }) => groupBy['model']));
      cursor = page.nextCursor;
      clock.advance(3_600_000);
    } while (cursor !== '');
    clock.advance(noon.getTime() - clock.now().getTime());
    expect(told.toSorted()).toEqual(models);
  });

  it('and its events are forgotten when they are old, and when the organisation is', async () => {
    const organisationId = newOrganisation();
    const meterId = await create(organisationId, 'SUM');
    const keep = event('1', { tokens: 1 });
    await ingest(organisationId, keep);
    const counts = () =>
      billing.pool.tenant(organisationId, async (trx) => {
        const { rows } = await trx.raw<{ rows: [Record<string, number>] }>(
          `SELECT (SELECT count(*)::int FROM usage_events) AS events, (SELECT count(*)::int FROM meter_hours) AS hours,
                  (SELECT count(*)::int FROM meters) AS meters`,
        );
        return Object.values(rows[0]);
      });
    const store = metersStore(billing.pool);
    await store.forget({ events: hoursAgo(1), counts: hoursAgo(1) });
    expect(await counts()).toEqual([1, 1, 1]);
    expect(await query(organisationId, meterId)).toHaveLength(1);
    expect(await store.forget({ events: hoursAgo(-1), counts: hoursAgo(-1) })).toBeGreaterThan(0);
    expect(await counts()).toEqual([0, 0, 1]);
    await ingest(organisationId, keep);
    await store.removeAll(organisationId);
    expect(await counts()).toEqual([0, 0, 0]);
  });
});

interface Reported {
  readonly id: string;
  readonly hours: number;
  readonly tokens: number;
  readonly model: string;
}

const reported: fc.Arbitrary<Reported> = fc.record({
  id: fc.integer({ min: 0, max: 60 }).map(String),
  hours: fc.integer({ min: 0, max: 50 }),
  tokens: fc.integer({ min: -500, max: 500 }).map((n) => n / 4),
  model: fc.constantFrom('a', 'b', 'c'),
});

/** What meters should say: of events that are known by their id, in whatever order they came. */
function expected(events: readonly Reported[], aggregation: Aggregation): number {
  const values = events.map(({ tokens }) => tokens);
  if (aggregation === 'COUNT') return values.length;
  if (aggregation === 'SUM') return values.reduce((sum, value) => sum + value, 0);
  if (aggregation === 'MAX') return Math.max(...values);
  if (aggregation === 'UNIQUE_COUNT') return new Set(values).size;
  const [latest] = events.toSorted((one, other) => one.hours - other.hours || (one.id < other.id ? 1 : -1));
  return latest?.tokens ?? 0;
}

/**
 * Ends connections of the service while they are at work, and again when one of the `answered` calls has got through since,
 * as it must on a machine of any speed; `stop` says how many it were.
 */
async function cutConnections(answered: () => number): Promise<{ stop: () => Promise<number> }> {
  const root = new Client(billing.database.superuserUrl);
  await root.connect();
  const ended = new AbortController();
  let cut = 0;
  const cutting = (async () => {
    while (!ended.signal.aborted) {
      const before = answered();
      const { rows } = await root.query<{ cut: string }>(
        `SELECT count(pg_terminate_backend(pid)) AS cut FROM pg_stat_activity
         WHERE datname = $1 AND pid <> pg_backend_pid() AND state <> 'idle'`,
        [billing.database.name],
      );
      const now = Number(rows[0]?.cut);
      cut += now;
      if (now > 0) await waitFor(() => ended.signal.aborted || answered() > before);
    }
  })();
  return {
    stop: async () => {
      ended.abort();
      await cutting;
      await root.end();
      return cut;
    },
  };
}

it('counts are those of a plain model, with events twice, late, at once and while connections are cut', async () => {
  let cut = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(reported, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 8 }),
      async (lists) => {
        const organisationId = newOrganisation();
        const meters = await Promise.all(
          aggregations.map(async (aggregation) => ({ aggregation, id: await create(organisationId, aggregation) })),
        );
        // Who uses an id again means the same event by it.
        const first = new Map<string, Reported>();
        for (const one of lists.flat()) if (!first.has(one.id)) first.set(one.id, one);
        let answered = 0;
        const send = async (list: readonly Reported[]): Promise<void> => {
          const events = list.map(({ id }) => {
            const { hours, tokens, model } = first.get(id) ?? { hours: 0, tokens: 0, model: '' };
            return event(id, { tokens, model }, { time: hoursAgo(hours) });
          });
          for (;;) {
            try {
              await ingest(organisationId, ...events);
              answered += 1;
              return;
            } catch {
              // As a client does that has not heard.
            }
          }
        };
        const cutting = await cutConnections(() => answered);
        await Promise.all([...lists, ...lists.slice(0, 2)].map(send));
        cut += await cutting.stop();
        const known = [...first.values()];
        for (const { aggregation, id } of meters) {
          const byHour = await query(organisationId, id, {
            windowSize: 'HOUR',
            groupBy: ['model'],
            from: hoursAgo(100),
          });
          const groups = Map.groupBy(known, ({ hours, model }) => `${hoursAgo(hours).toISOString()} ${model}`);
          expect(
            new Map(
              byHour.map((row) => [
                `${row.windowStart?.toISOString() ?? ''} ${row.groupBy['model'] ?? ''}`,
                Number(row.value),
              ]),
            ),
          ).toEqual(new Map([...groups].map(([key, events]) => [key, expected(events, aggregation)])));
          const [all] = await query(organisationId, id, { from: hoursAgo(100) });
          expect([aggregation, Number(all?.value)]).toEqual([aggregation, expected(known, aggregation)]);
        }
      },
    ),
    { numRuns: repetitions({ usual: 4, long: 200 }) },
  );
  expect(cut).toBeGreaterThan(0);
}, 600_000);

it('ids of events are their own for each organisation', async () => {
  const [one, other] = [newOrganisation(), newOrganisation()];
  const id = newId();
  expect(await ingest(one, event(id, {}))).toMatchObject({ accepted: 1 });
  expect(await ingest(other, event(id, {}))).toMatchObject({ accepted: 1 });
});
