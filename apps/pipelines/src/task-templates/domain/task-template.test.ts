import { describe, expect, it } from '@jest/globals';
import { DomainError, newId, serviceActorContext, type ActorContext } from '@platform-backend/core';
import { recipientsOf } from '../../notifications/domain/notification.ts';
import type { Timetable } from '../../schedules/domain/timetable.ts';
import {
  changeTaskTemplate,
  countOutcome,
  createTaskTemplate,
  pauseTaskTemplate,
  resumeTaskTemplate,
  scheduleSpecOf,
  type TaskSettings,
  type TaskTemplate,
} from './task-template.ts';

const noon = new Date('2026-07-01T12:00:00Z');
const later = new Date('2026-07-01T13:00:00Z');
const timetable: Timetable = {
  next: () => later,
  flawOf: ({ cron }) => (cron === 'never' ? { of: 'cron', problem: 'it never comes true' } : undefined),
};
const userId = newId();
const by: ActorContext = {
  organisationId: 'org_1',
  actor: { type: 'user', id: userId, name: 'Ada', userId, level: 'EDITOR' },
  requestId: newId(),
};
const settings: TaskSettings = {
  instruction: 'Look',
  name: 'Weekly',
  assignee: 'general',
  entities: [],
  notificationSettings: [],
  cronSchedule: '0 9 * * 1',
  scheduleEnabled: true,
  scheduleStartAt: null,
  timeZone: 'UTC',
  overlap: 'SKIP',
  catchUp: 'LATEST',
};
const create = (more: Partial<TaskSettings> = {}) =>
  createTaskTemplate(by, newId(), { ...settings, ...more }, noon, timetable);
const template = (more: Partial<TaskTemplate> = {}): TaskTemplate => ({ ...create().state, ...more });
const refusal = (act: () => unknown): DomainError => {
  try {
    act();
  } catch (error) {
    if (error instanceof DomainError) return error;
  }
  throw new Error('it was not refused');
};

describe('a task template', () => {
  it('belongs to the user who makes it, which is told and in the audit log', () => {
    const { state, events } = create();
    expect(state).toMatchObject({ memberId: userId, failuresInRow: 0, pausedReason: null, createdAt: noon });
    expect(events).toMatchObject([
      { name: 'task_template.created', change: { before: null, after: { name: 'Weekly' } } },
    ]);
  });

  it('is not made by a service, in whose name nobody could execute it', () => {
    const nobody = serviceActorContext('content', 'org_1', newId());
    expect(refusal(() => createTaskTemplate(nobody, newId(), settings, noon, timetable)).kind).toBe('forbidden');
  });

  it('has a schedule that comes true, and one at all when it is enabled', () => {
    expect(refusal(() => create({ cronSchedule: 'never' })).violations).toMatchObject([
      { loc: ['body', 'cron_schedule'] },
    ]);
    expect(refusal(() => create({ cronSchedule: null })).violations).toMatchObject([{ type: 'missing' }]);
  });

  it('tells of a change which fields are others now, and of none nothing', () => {
    const { state, events } = changeTaskTemplate(template(), { name: 'Daily', overlap: 'SKIP' }, later, timetable);
    expect(state).toMatchObject({ name: 'Daily', updatedAt: later });
    expect(events).toMatchObject([{ data: { changed_fields: ['name'] }, change: { before: { name: 'Weekly' } } }]);
    const before = template();
    expect(changeTaskTemplate(before, { name: 'Weekly' }, later, timetable)).toMatchObject({
      state: before,
      events: [],
    });
  });

  it('is due only while its schedule is enabled', () => {
    const paused = pauseTaskTemplate(template(), later).state;
    expect(scheduleSpecOf(template())).toMatchObject({ cron: '0 9 * * 1', timeZone: 'UTC', catchUp: 'LATEST' });
    expect(scheduleSpecOf(paused)).toBeNull();
    expect(pauseTaskTemplate(paused, later).events).toEqual([]);
    expect(scheduleSpecOf(resumeTaskTemplate(paused, later).state)).not.toBeNull();
    const without = template({ cronSchedule: null, scheduleEnabled: false });
    expect(refusal(() => resumeTaskTemplate(without, later)).code).toBe('task_template_without_schedule');
  });

  it('is paused by the fifth failure in a row, of which one success makes nothing', () => {
    const failed = template({ failuresInRow: 4 });
    const { state, events } = countOutcome(failed, false, later);
    expect(state).toMatchObject({ scheduleEnabled: false, pausedReason: '5 executions failed one after the other' });
    expect(events).toMatchObject([{ name: 'task_template.updated', data: { schedule_enabled: false } }]);
    expect(countOutcome(failed, true, later)).toMatchObject({ state: { failuresInRow: 0 }, events: [] });
    expect(countOutcome(template({ failuresInRow: 3 }), false, later).state.scheduleEnabled).toBe(true);
    const resumed = resumeTaskTemplate(state, later).state;
    expect(resumed).toMatchObject({ scheduleEnabled: true, pausedReason: null, failuresInRow: 0 });
  });

  it('tells everybody once, and not more than a thousand', () => {
    const both = recipientsOf([
      { method: 'EMAIL', userIds: ['a', 'b', 'a'] },
      { method: 'SLACK', channelIds: ['a'] },
      { method: 'EMAIL', userIds: ['b'] },
    ]);
    expect(both.map(({ method, recipient }) => `${method} ${recipient}`)).toEqual(['EMAIL a', 'EMAIL b', 'SLACK a']);
    const many = (count: number) => Array.from({ length: count }, (_, index) => String(index));
    const notificationSettings = [{ method: 'SLACK' as const, channelIds: many(1001) }];
    expect(refusal(() => create({ notificationSettings })).kind).toBe('invalid');
  });
});
