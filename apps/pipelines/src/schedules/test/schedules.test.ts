import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fixedClock, inParallel, newId } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { newOrganisation } from '@platform-backend/service/testing';
import { startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';
import { fireSchedules, forgetFired } from '../app/fire-schedules.ts';
import type { ScheduleSpec, ScheduleOwner } from '../domain/schedule.ts';
import { nextTimesOf, removeSchedules, schedulesStore, setSchedule, type OnDue } from '../store/schedules-store.ts';
import { cronTimetable } from '../timetable/cron-timetable.ts';

const logger = createLogger({ service: 'pipelines', level: 'silent' });
const running = new AbortController().signal;
const noon = new Date('2026-07-01T12:00:00Z');
const hourly: ScheduleSpec = { cron: '0 * * * *', timeZone: 'UTC', startsAt: null, catchUp: 'LATEST' };

describe('schedules', () => {
  let service: TestPipelines;
  let organisationId: string;
  let fired: string[];
  const clock = fixedClock(noon);
  beforeAll(async () => {
    service = await startTestPipelines({ idle: true });
  });
  afterAll(() => service.stop());
  beforeEach(() => {
    organisationId = newOrganisation();
    fired = [];
    clock.set(noon);
  });

  afterEach(() => service.pool.tenant(organisationId, (trx) => removeSchedules(trx, organisationId)));

  const owner = (): ScheduleOwner => ({ kind: 'PIPELINE', id: newId() });
  const set = (of: ScheduleOwner, spec: ScheduleSpec | null) =>
    service.pool.tenant(organisationId, (trx) =>
      setSchedule(cronTimetable)(trx, organisationId, of, spec, clock.now()),
    );
  const nextOf = ({ kind, id }: ScheduleOwner) =>
    service.pool.tenant(organisationId, async (trx) =>
      (await nextTimesOf(trx, organisationId, kind, [id])).get(id)?.toISOString(),
    );
  const note: OnDue = async (_trx, by, { ownerId, dueAt }) => {
    expect(by.organisationId).toBe(organisationId);
    await Promise.resolve();
    fired.push(`${ownerId} ${dueAt.toISOString()}`);
  };
  const store = (onDue: OnDue = note) =>
    schedulesStore(service.pool, cronTimetable, { PIPELINE: onDue, TASK_TEMPLATE: onDue });
  const fire = (onDue?: OnDue) => fireSchedules({ schedules: store(onDue), clock }, logger, running);

  it('are fired when they are due, once for each time, and then are due again', async () => {
    const one = owner();
    await set(one, hourly);
    expect(await fire()).toBe(0);
    clock.set('2026-07-01T13:00:00Z');
    expect(await fire()).toBe(1);
    expect(await fire()).toBe(0);
    expect(fired).toEqual([`${one.id} 2026-07-01T13:00:00.000Z`]);
    expect(await nextOf(one)).toBe('2026-07-01T14:00:00.000Z');
  });

  it('that stay the same stay due, and have a new time when they change', async () => {
    const one = owner();
    await set(one, hourly);
    clock.set('2026-07-01T13:30:00Z');
    await set(one, hourly);
    expect(await nextOf(one)).toBe('2026-07-01T13:00:00.000Z');
    await set(one, { ...hourly, timeZone: 'Asia/Kathmandu' });
    expect(await nextOf(one)).toBe('2026-07-01T14:15:00.000Z');
    await set(one, null);
    expect(await nextOf(one)).toBeUndefined();
  });

  it('are not fired a second time for a moment after they were ended and set again', async () => {
    const one = owner();
    await set(one, hourly);
    clock.set('2026-07-01T13:00:00Z');
    await fire();
    await set(one, null);
    clock.set('2026-07-01T12:59:59Z');
    await set(one, hourly);
    clock.set('2026-07-01T13:00:01Z');
    expect(await fire()).toBe(0);
    expect(fired).toHaveLength(1);
  });

  it('have every missed time made up for where they say so', async () => {
    const one = owner();
    await set(one, { ...hourly, catchUp: 'ALL' });
    clock.set('2026-07-01T15:30:00Z');
    expect(await fire()).toBe(3);
    expect(fired.map((line) => line.slice(-13, -8))).toEqual(['13:00', '14:00', '15:00']);
  });

  it('whose missed times nobody wants are all moved on in one go, however many they are', async () => {
    const many = Array.from({ length: 101 }, owner);
    await inParallel(many, { atOnce: 10 }, (one) => set(one, { ...hourly, catchUp: 'NONE' }));
    clock.set('2026-07-01T14:30:00Z');
    expect(await fire()).toBe(0);
    expect(new Set(await Promise.all(many.map(nextOf)))).toEqual(new Set(['2026-07-01T15:00:00.000Z']));
  });

  it('lose no time when what is done about it fails, and keep no other waiting', async () => {
    const [bad, good] = [owner(), owner()];
    await set(bad, hourly);
    await set(good, hourly);
    clock.set('2026-07-01T13:00:00Z');
    const failing: OnDue = (trx, by, due) =>
      due.ownerId === bad.id ? Promise.reject(new Error('not now')) : note(trx, by, due);
    expect(await fire(failing)).toBe(1);
    expect(await fire()).toBe(0);
    clock.set('2026-07-01T13:00:31Z');
    expect(await fire()).toBe(1);
    expect(fired).toEqual([`${good.id} 2026-07-01T13:00:00.000Z`, `${bad.id} 2026-07-01T13:00:00.000Z`]);
  });

  it('are each fired by one of several that look at the same time', async () => {
    const owners = Array.from({ length: 120 }, owner);
    for (const one of owners) await set(one, hourly);
    clock.set('2026-07-01T13:00:00Z');
    const counts = await Promise.all([fire(), fire(), fire()]);
    // Whoever is passed by is found in the next round.
    const rest = await fire();
    expect(counts.reduce((sum, count) => sum + count, rest)).toBe(120);
    expect(new Set(fired).size).toBe(120);
  });

  it('are forgotten to have been fired after a month', async () => {
    await set(owner(), hourly);
    clock.set('2026-07-01T13:00:00Z');
    await fire();
    const rows = () =>
      service.pool.tenant(organisationId, (trx) => trx('schedule_fires').where({ organisation_id: organisationId }));
    clock.set('2026-07-31T13:00:00Z');
    await forgetFired({ schedules: store(), clock });
    expect(await rows()).toHaveLength(1);
    clock.set('2026-08-02T13:00:00Z');
    await forgetFired({ schedules: store(), clock });
    expect(await rows()).toHaveLength(0);
  });
});
