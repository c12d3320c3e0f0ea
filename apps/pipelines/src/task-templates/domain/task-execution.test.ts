import { describe, expect, it } from '@jest/globals';
import { recordDelivery, takeNotification, type Notification } from '../../notifications/domain/notification.ts';
import { executionNotifications } from './execution-notifications.ts';
import {
  beginExecution,
  hearReply,
  postponeExecution,
  refuseExecution,
  takeExecution,
  type TaskExecution,
  type TaskReply,
} from './task-execution.ts';
import type { TaskTemplate } from './task-template.ts';

const noon = new Date('2026-07-01T12:00:00Z');
const after = (seconds: number) => new Date(noon.getTime() + seconds * 1000);
const template: TaskTemplate = {
  id: 'template',
  instruction: 'Look',
  name: 'Weekly',
  assignee: 'general',
  entities: [],
  notificationSettings: [{ method: 'SLACK', channelIds: ['C1'] }],
  cronSchedule: '0 9 * * 1',
  scheduleEnabled: true,
  scheduleStartAt: null,
  timeZone: 'UTC',
  overlap: 'SKIP',
  catchUp: 'LATEST',
  memberId: 'ada',
  pausedReason: null,
  failuresInRow: 0,
  createdAt: noon,
  updatedAt: noon,
};
const begin = (isBusy = false, overlap: TaskTemplate['overlap'] = 'SKIP') =>
  beginExecution({ ...template, overlap }, { id: 'e', trigger: 'SCHEDULE', dueAt: noon, isBusy }, noon);
const running = (): TaskExecution => {
  const taken = takeExecution(begin().state, 'turn 1', noon);
  if (!taken) throw new Error('it was not taken');
  return taken;
};
const reply = (more: Partial<TaskReply> = {}): TaskReply => ({
  ...{ conversationId: 'c', messageId: 'm', isFinished: true, hasFailed: false, text: 'Done' },
  ...more,
});

describe('an execution of a task template', () => {
  it('publishes that it begins', () => {
    expect(begin()).toMatchObject({
      state: { status: 'PENDING', nextCheckAt: noon },
      events: [{ name: 'task_template.fired' }],
    });
  });

  it('is skipped while an earlier one goes on, unless they may go on side by side', () => {
    expect(begin(true)).toMatchObject({ state: { status: 'SKIPPED', nextCheckAt: null }, events: [] });
    expect(begin(true, 'ALLOW').state.status).toBe('PENDING');
  });

  it('is looked after by one at a time, who asks for one turn until it is answered', () => {
    const taken = running();
    expect(taken).toMatchObject({ status: 'RUNNING', attempts: 1, turnId: 'turn 1', startedAt: noon });
    expect(takeExecution(taken, 'turn 2', after(59))).toBeNull();
    expect(takeExecution(taken, 'turn 2', after(60))).toMatchObject({ attempts: 1, turnId: 'turn 1' });
  });

  it('ends when its turn is answered', () => {
    const waiting = hearReply(running(), 'turn 1', reply({ isFinished: false, text: 'Do' }), noon).state;
    expect(waiting).toMatchObject({ status: 'RUNNING', conversationId: 'c', nextCheckAt: after(1) });
    const ended = hearReply(waiting, 'turn 1', reply(), after(1)).state;
    expect(ended).toMatchObject({ status: 'SUCCEEDED', answer: 'Done', finishedAt: after(1), nextCheckAt: null });
  });

  it('is tried three times when the assistant fails, each time in a turn of its own', () => {
    const failed = reply({ hasFailed: true, text: 'No model' });
    let execution = running();
    for (const attempt of [1, 2]) {
      execution = hearReply(execution, `turn ${String(attempt)}`, failed, noon).state;
      expect(execution).toMatchObject({ status: 'PENDING', nextCheckAt: after(20 * attempt) });
      execution = takeExecution(execution, `turn ${String(attempt + 1)}`, after(1000)) as TaskExecution;
    }
    expect(hearReply(execution, 'turn 3', failed, noon).state).toMatchObject({ status: 'FAILED', error: 'No model' });
  });

  it('hears nothing of a turn that is over, and nothing once it has ended', () => {
    const execution = running();
    expect(hearReply(execution, 'turn 0', reply(), noon).state).toBe(execution);
    const ended = refuseExecution(execution, 'turn 1', 'No', noon).state;
    expect(ended).toMatchObject({ status: 'FAILED', error: 'No' });
    expect(hearReply(ended, 'turn 1', reply(), noon).state).toBe(ended);
    expect(postponeExecution(ended, 'turn 1', noon).state).toBe(ended);
  });

  it('waits for an hour when nobody can be asked, however long ago the attempts before were', () => {
    expect(postponeExecution(running(), 'turn 1', after(3600)).state).toMatchObject({ status: 'RUNNING' });
    expect(postponeExecution(running(), 'turn 1', after(3601)).state).toMatchObject({ status: 'FAILED' });
    const failed = hearReply(running(), 'turn 1', reply({ hasFailed: true }), after(3000)).state;
    const again = takeExecution(failed, 'turn 2', after(3100)) as TaskExecution;
    expect(again.startedAt).toEqual(noon);
    expect(postponeExecution(again, 'turn 2', after(3700)).state).toMatchObject({ status: 'RUNNING' });
    expect(postponeExecution(again, 'turn 2', after(6701)).state).toMatchObject({ status: 'FAILED' });
  });

  it('fails when an assistant is not done with it within an hour', () => {
    const unfinished = reply({ isFinished: false, text: '' });
    expect(hearReply(running(), 'turn 1', unfinished, after(3600)).state).toMatchObject({ status: 'RUNNING' });
    expect(hearReply(running(), 'turn 1', unfinished, after(3601)).state).toMatchObject({
      status: 'FAILED',
      error: 'The assistant was not done within an hour',
      nextCheckAt: null,
    });
    // What has come meanwhile is the answer.
    expect(hearReply(running(), 'turn 1', reply(), after(3601)).state).toMatchObject({ status: 'SUCCEEDED' });
  });
});

describe('a notification of an execution', () => {
  const told = (more: Partial<TaskExecution> = {}, of: TaskTemplate = template): Notification => {
    const [one] = executionNotifications(
      of,
      { ...running(), status: 'SUCCEEDED', answer: 'Done', ...more },
      () => 'n',
      noon,
    );
    if (!one) throw new Error('nobody is told');
    return one;
  };

  it('says how it went, and that the schedule was paused', () => {
    expect(told()).toMatchObject({ title: 'Weekly: done', text: 'Done', status: 'PENDING', nextAttemptAt: noon });
    const paused = told({ status: 'FAILED', error: 'No' }, { ...template, pausedReason: 'five failed' });
    expect(paused).toMatchObject({ title: 'Weekly: failed', text: 'No\n\nIts schedule is paused: five failed.' });
    expect(told({ answer: 'x'.repeat(20_000) }).text).toHaveLength(10_001);
  });

  it('has whole characters alone, which are all that JSON in a database takes', () => {
    const long = `.${'😀'.repeat(10_000)}`;
    expect(told({ answer: long }).text).toBe(`.${'😀'.repeat(4_999)}…`);
    const { attempts } = recordDelivery(told(), { outcome: 'RETRY', reason: long }, noon);
    expect(attempts.map(({ error }) => error)).toEqual([`.${'😀'.repeat(249)}`]);
  });

  it('is sent by one at a time, and logged', () => {
    const taken = takeNotification(told(), noon) as Notification;
    expect(takeNotification(taken, after(59))).toBeNull();
    expect([taken.takes, takeNotification(taken, after(60))?.takes]).toEqual([1, 2]);
    const sent = recordDelivery(taken, { outcome: 'SENT' }, after(1));
    expect(sent).toMatchObject({
      status: 'SENT',
      nextAttemptAt: null,
      attempts: [{ at: after(1).toISOString(), error: null }],
    });
    expect(recordDelivery(sent, { outcome: 'RETRY', reason: 'late' }, after(2))).toBe(sent);
  });

  it('is tried five times with longer and longer pauses, unless it never can be sent', () => {
    const pauses: number[] = [];
    let one = told();
    while (one.nextAttemptAt) {
      one = recordDelivery(one, { outcome: 'RETRY', reason: 'busy' }, noon);
      if (one.nextAttemptAt) pauses.push((one.nextAttemptAt.getTime() - noon.getTime()) / 1000);
    }
    expect(pauses).toEqual([10, 60, 300, 1800]);
    expect(one).toMatchObject({ status: 'FAILED' });
    expect(one.attempts).toHaveLength(5);
    expect(recordDelivery(told(), { outcome: 'GIVE_UP', reason: 'no' }, noon)).toMatchObject({ status: 'FAILED' });
  });
});
