import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assistants, people } from '../../../test/fake-services.ts';
import { keys, startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';

const mask = (...paths: string[]) => ({ updateMask: { paths } });

describe('task templates', () => {
  let content: Awaited<ReturnType<typeof assistants>>;
  let identity: Awaited<ReturnType<typeof people>>;
  let service: TestPipelines;
  let home: string;
  let owner: ReturnType<typeof member>;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'notifications-'));
    content = await assistants(keys);
    identity = await people(keys);
    service = await startTestPipelines({
      environment: { CONTENT_ADDRESS: content.address, IDENTITY_ADDRESS: identity.address, PLATFORM_HOME: home },
    });
  });
  afterAll(async () => {
    await service.stop();
    await content.close();
    await identity.close();
    await rm(home, { recursive: true });
  });
  beforeEach(() => {
    owner = member(newOrganisation(), 'EDITOR');
  });

  const create = (more: object = {}) =>
    service.taskTemplates.createTaskTemplate({ name: 'Weekly', instruction: 'answers at once', ...more }, owner);
  const run = (templateId: string, more: object = {}) =>
    service.taskTemplates.runTaskTemplate({ templateId, ...more }, owner);
  const execution = (templateId: string, executionId: string) =>
    service.taskTemplates.getTaskExecution({ templateId, executionId }, owner);
  const executions = async (templateId: string) =>
    (await service.taskTemplates.listTaskExecutions({ templateId }, owner)).executions;
  const finished = (templateId: string, executionId: string) =>
    waitFor(
      async () => {
        const found = await execution(templateId, executionId);
        return found.finishedAt && found;
      },
      { what: 'the end of the execution' },
    );
  const letters = async () => {
    const names = await readdir(join(home, 'notifications')).catch(() => []);
    return Promise.all(names.map((name) => readFile(join(home, 'notifications', name), 'utf8')));
  };

  it('have what they were given, and defaults for the rest', async () => {
    const template = await create();
    expect(template).toMatchObject({
      name: 'Weekly',
      organisationId: owner.caller.organisationId,
      memberId: owner.caller.userId,
      assignee: 'general',
      context: { entities: [] },
      notificationSettings: [],
      cronSchedule: null,
      scheduleEnabled: false,
      scheduleStartAt: null,
      timeZone: 'UTC',
      overlap: 'SKIP',
      catchUp: 'LATEST',
      nextRunAt: null,
      pausedReason: null,
    });
    expect(await service.taskTemplates.getTaskTemplate({ templateId: template.id }, owner)).toEqual(template);
  });

  it('are listed, filtered by their schedule, and belong to their organisation alone', async () => {
    const plain = await create();
    const scheduled = await create({ cronSchedule: '0 9 * * 1', scheduleEnabled: true });
    const list = async (more: object = {}) =>
      (await service.taskTemplates.listTaskTemplates(more, owner)).taskTemplates.map(({ id }) => id);
    expect(await list()).toEqual([scheduled.id, plain.id]);
    expect(await list({ scheduleEnabled: true })).toEqual([scheduled.id]);
    expect(await list({ scheduleEnabled: false, order: 'asc' })).toEqual([plain.id]);
    const stranger = member(newOrganisation());
    const refused = await refusalOf(service.taskTemplates.getTaskTemplate({ templateId: plain.id }, stranger));
    expect(refused).toEqual(await refusalOf(service.taskTemplates.getTaskTemplate({ templateId: newId() }, stranger)));
  });

  it('refuse a schedule that never comes, a zone that is none, and one without a time', async () => {
    const refused = async (more: object) => (await refusalOf(create(more))).violations?.map(({ loc }) => loc);
    expect(await refused({ cronSchedule: '0 0 30 2 *' })).toEqual([['body', 'cron_schedule']]);
    expect(await refused({ cronSchedule: '0 9 * * 1', timeZone: 'Mars/Base' })).toEqual([['body', 'time_zone']]);
    expect(await refused({ scheduleEnabled: true })).toEqual([['body', 'cron_schedule']]);
    const { id: templateId } = await create();
    const enable = service.taskTemplates.updateTaskTemplate(
      { templateId, scheduleEnabled: true, ...mask('schedule_enabled') },
      owner,
    );
    expect((await refusalOf(enable)).violations?.map(({ loc }) => loc)).toEqual([['body', 'cron_schedule']]);
  });

  it('show when they are due next, also before they are saved', async () => {
    const start = { scheduleStartAt: new Date('2040-03-24T00:00:00Z') };
    const nine = { cronSchedule: '30 2 * * *', timeZone: 'Europe/Berlin', ...start };
    const times = ['2040-03-24T01:30:00Z', '2040-03-25T01:00:00Z', '2040-03-26T00:30:00Z'].map((at) => new Date(at));
    const before = await service.taskTemplates.previewSchedule(nine, owner);
    expect(before.times).toHaveLength(5);
    const never = service.taskTemplates.previewSchedule({ ...nine, cronSchedule: '0 0 30 2 *' }, owner);
    expect((await refusalOf(never)).violations?.map(({ loc }) => loc)).toEqual([['query', 'cron_schedule']]);
    expect(before.times.slice(0, 3)).toEqual(times);
    const { id: templateId, nextRunAt } = await create({ ...nine, scheduleEnabled: true });
    expect(nextRunAt).toEqual(times[0]);
    expect(await service.taskTemplates.previewTaskTemplate({ templateId }, owner)).toEqual(before);
    const paused = await service.taskTemplates.pauseTaskTemplate({ templateId }, owner);
    expect(paused).toMatchObject({ scheduleEnabled: false, nextRunAt: null });
    expect((await service.taskTemplates.previewTaskTemplate({ templateId }, owner)).times).toEqual([]);
    expect(await service.taskTemplates.resumeTaskTemplate({ templateId }, owner)).toMatchObject({ nextRunAt });
  });

  it('change field by field, and are gone when they are deleted', async () => {
    const { id: templateId } = await create({ assignee: 'Analyst' });
    const change = service.taskTemplates.updateTaskTemplate(
      { templateId, name: 'Daily', assignee: null, ...mask('name', 'assignee') },
      owner,
    );
    expect(await change).toMatchObject({ name: 'Daily', assignee: 'general', instruction: 'answers at once' });
    expect((await refusalOf(service.taskTemplates.resumeTaskTemplate({ templateId }, owner))).kind).toBe('conflict');
    expect(await service.taskTemplates.deleteTaskTemplate({ templateId }, owner)).toEqual({
      id: templateId,
      deleted: true,
    });
    expect((await refusalOf(service.taskTemplates.deleteTaskTemplate({ templateId }, owner))).kind).toBe('not_found');
  });

  it('give their instruction to the assistant in the name of who made them, once for one key', async () => {
    const entities = [{ type: 'document', id: newId() }];
    const { id: templateId } = await create({ instruction: 'thinks a while', context: { entities } });
    const begun = await run(templateId, { idempotencyKey: 'one' });
    expect(begun).toMatchObject({ status: 'PENDING', trigger: 'MANUAL', dueAt: null });
    expect((await run(templateId, { idempotencyKey: 'one' })).id).toBe(begun.id);
    const ended = await finished(templateId, begun.id);
    expect(ended).toMatchObject({ status: 'SUCCEEDED', answer: 'Done: thinks a while', attempts: 1, error: null });
    const asked = content.turns.get(ended.messageId ?? '');
    expect(asked).toMatchObject({
      organisationId: owner.caller.organisationId,
      userId: owner.caller.userId,
      permissionLevel: 'EDITOR',
      assistantName: 'general',
      context: { entities },
      asked: 3,
    });
    expect(await executions(templateId)).toHaveLength(1);
  });

  it('fail with the reason when the assistant is refused, or whoever made them has left', async () => {
    const { id: refusing } = await create({ instruction: 'refuses' });
    expect(await finished(refusing, (await run(refusing)).id)).toMatchObject({
      status: 'FAILED',
      error: 'Assistant not found',
    });
    const { id: left } = await create();
    identity.leave(owner.caller.userId ?? '');
    expect(await finished(left, (await run(left)).id)).toMatchObject({
      status: 'FAILED',
      error: 'The member who created the template may not execute it any more',
    });
  });

  it('tell each recipient once how it went, and log what could not be told', async () => {
    const [reader, stranger] = [newId(), 'nobody'];
    const { id: templateId } = await create({
      notificationSettings: [
        { email: { userIds: [reader, reader, stranger] } },
        { slack: { channelIds: ['C1'] } },
        { email: { userIds: [reader] } },
      ],
    });
    const { id } = await run(templateId);
    const told = await waitFor(
      async () => {
        const { notifications } = await execution(templateId, id);
        return notifications.length > 0 && notifications.every(({ status }) => status !== 'PENDING')
          ? notifications
          : null;
      },
      { what: 'the notifications' },
    );
    expect(told.map(({ method, recipient, status }) => [method, recipient, status]).toSorted()).toEqual(
      [
        ['EMAIL', stranger, 'FAILED'],
        ['EMAIL', reader, 'SENT'],
        ['SLACK', 'C1', 'SENT'],
      ].toSorted(),
    );
    const failed = told.find(({ recipient }) => recipient === stranger);
    expect(failed?.attempts).toMatchObject([{ error: 'Not an active member of the organisation' }]);
    const written = (await letters()).filter((letter) => letter.includes(reader) || letter.includes('C1'));
    expect(written).toHaveLength(2);
    expect(written[0]).toMatch(/^To: .*\nSubject: Weekly: done\n\nDone: answers at once\n$/);
  });

  it('fire by their schedule', async () => {
    const { id: templateId } = await create({ cronSchedule: '* * * * *', scheduleEnabled: true });
    await makeDue(templateId);
    const [one] = await waitFor(
      async () => {
        const found = await executions(templateId);
        return found.some(({ status }) => status === 'SUCCEEDED') ? found : null;
      },
      { what: 'an execution' },
    );
    expect(one).toMatchObject({ trigger: 'SCHEDULE', status: 'SUCCEEDED' });
    expect(one?.dueAt?.getUTCSeconds()).toBe(0);
  });

  it('skip what is due while an earlier execution goes on, and show that', async () => {
    const { id: templateId } = await create({
      instruction: 'is away',
      cronSchedule: '* * * * *',
      scheduleEnabled: true,
    });
    await run(templateId);
    await makeDue(templateId);
    const skipped = await waitFor(
      async () => (await executions(templateId)).find(({ status }) => status === 'SKIPPED'),
      { what: 'a skipped execution' },
    );
    expect(skipped).toMatchObject({ trigger: 'SCHEDULE', error: 'An earlier execution was still going on' });
  });

  it('are paused after five failures in a row, which is told and can be undone', async () => {
    const reader = newId();
    const { id: templateId } = await create({
      instruction: 'refuses',
      cronSchedule: '0 0 1 1 *',
      scheduleEnabled: true,
      notificationSettings: [{ email: { userIds: [reader] } }],
    });
    for (let count = 0; count < 5; count += 1) await finished(templateId, (await run(templateId)).id);
    const pausedReason = '5 executions failed one after the other';
    expect(await service.taskTemplates.getTaskTemplate({ templateId }, owner)).toMatchObject({
      scheduleEnabled: false,
      nextRunAt: null,
      pausedReason,
    });
    const notice = (letter: string) =>
      letter.includes(reader) && letter.includes(`Its schedule is paused: ${pausedReason}.`);
    await waitFor(async () => (await letters()).some(notice), { what: 'the notice' });
    const resumed = await service.taskTemplates.resumeTaskTemplate({ templateId }, owner);
    expect(resumed).toMatchObject({ scheduleEnabled: true, pausedReason: null });
  });

  /** As if its time had come a moment ago. */
  const makeDue = (templateId: string) =>
    service.pool.tenant(owner.caller.organisationId ?? '', async (trx) => {
      const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000);
      const schedule = trx('schedules').where({ owner_id: templateId, organisation_id: owner.caller.organisationId });
      await schedule.update({ next_at: minute, look_at: minute });
    });
});
