import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { readdir, readFile } from 'node:fs/promises';
import { join as pathOf } from 'node:path';
import { expectOk, join, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type { Convention, CreditBalance, Organisation } from '../src/resources.ts';

const platform = sharedPlatform();

type TaskTemplate = { id: string; next_run_at: string | null };
type TaskExecution = {
  id: string;
  status: string;
  trigger: string;
  answer: string;
  conversation_id: string | null;
  notifications: { method: string; recipient: string; status: string; attempts: { error: string | null }[] }[];
};

describe('task templates', () => {
  let ada: Person;
  let organisation: Organisation;
  beforeAll(async () => {
    ada = await newPerson(platform, 'Ada');
    organisation = await newOrganisation(ada);
    expectOk(await ada.call('POST', '/credits/purchases/', { body: { credits: 100 } }));
    const available = async () =>
      expectOk(await ada.call<CreditBalance>('GET', '/credits/balance/')).available_micros > 0;
    await waitFor(available, { what: 'the credits' });
  });

  it('fire by their schedule, have an assistant answer from what the organisation knows, and tell people', async () => {
    const agreed = { title: 'Leave', content: 'Everybody has thirty days of leave in a year.' };
    expectOk(await ada.call<Convention>('POST', '/conventions/', { body: agreed }));
    const userId = organisation.members[0]?.user.id;
    const body = {
      name: 'Days of leave',
      instruction: 'How many days of leave does everybody have in a year?',
      cron_schedule: '* * * * *',
      schedule_enabled: true,
      time_zone: 'Asia/Kathmandu',
      notification_settings: [{ method: 'EMAIL', user_ids: [userId] }],
    };
    const created = expectOk(await ada.call<TaskTemplate>('POST', '/task-templates/', { body }));
    expect(created).toMatchObject({
      ...body,
      organisation_id: organisation.id,
      assignee: 'general',
      context: { entities: [] },
      schedule_start_at: null,
    });
    const path = `/task-templates/${created.id}/`;
    const fired = await waitFor(
      async () => {
        const executions = expectOk(await ada.call<TaskExecution[]>('GET', `${path}executions/?status=SUCCEEDED`));
        return executions.find(({ trigger }) => trigger === 'SCHEDULE');
      },
      { what: 'an execution', interval: 500 },
    );
    expect(fired.answer).toContain('thirty days of leave');
    const said = expectOk(
      await ada.call<{ message: string }[]>(
        'GET',
        `/messages/?conversation_id=${String(fired.conversation_id)}&order=asc`,
      ),
    );
    expect(said.map(({ message }) => message)).toEqual([body.instruction, fired.answer]);

    const told = await waitFor(
      async () => {
        const { notifications } = expectOk(await ada.call<TaskExecution>('GET', `${path}executions/${fired.id}/`));
        return notifications.every(({ status }) => status === 'SENT') ? notifications : null;
      },
      { what: 'the notification', interval: 500 },
    );
    expect(told).toMatchObject([{ method: 'EMAIL', recipient: userId, attempts: [{ error: null }] }]);
    const folder = pathOf(platform.home, 'notifications');
    const letters = await Promise.all((await readdir(folder)).map((name) => readFile(pathOf(folder, name), 'utf8')));
    expect(letters.filter((letter) => letter.includes(fired.answer))).not.toEqual([]);

    expect(expectOk(await ada.call<TaskTemplate>('POST', `${path}pause/`))).toMatchObject({ next_run_at: null });
    expect(expectOk(await ada.call('DELETE', path))).toEqual({ id: created.id, deleted: true });
    expect((await ada.call('DELETE', path)).status).toBe(404);
    await waitFor(
      async () => {
        const entries = expectOk(await ada.call<{ action: string }[]>('GET', `/audit-log/?target_id=${created.id}`));
        return entries.some(({ action }) => action === 'task_template.deleted');
      },
      { what: 'the audit log', interval: 200 },
    );
  });

  it('are read by everybody, changed by editors, and begin one execution for one key', async () => {
    const viewer = await newPerson(platform, 'Vera');
    await join(ada, organisation, viewer, 'VIEWER');
    const own = { organisationId: organisation.id };
    const body = { name: 'Once', instruction: 'What is agreed on?' };
    const { id } = expectOk(await ada.call<TaskTemplate>('POST', '/task-templates/', { body }));
    expect((await viewer.call('GET', `/task-templates/${id}/`, own)).status).toBe(200);
    expect((await viewer.call('POST', `/task-templates/${id}/run/`, own)).status).toBe(403);
    const begin = async () =>
      expectOk(
        await ada.call<TaskExecution>('POST', `/task-templates/${id}/run/`, { headers: { 'idempotency-key': 'one' } }),
      );
    expect((await begin()).id).toBe((await begin()).id);
    const stranger = await newPerson(platform, 'Stranger');
    await newOrganisation(stranger);
    expect((await stranger.call('GET', `/task-templates/${id}/`)).status).toBe(404);
  });

  it('show the next times of a schedule across a change of clocks', async () => {
    const query = new URLSearchParams({
      cron_schedule: '30 2 * * *',
      time_zone: 'Europe/Berlin',
      schedule_start_at: '2040-03-24T00:00:00Z',
    });
    const { times } = expectOk(
      await ada.call<{ times: string[] }>('GET', `/task-templates/preview/?${query.toString()}`),
    );
    expect(times.slice(0, 3)).toEqual(['2040-03-24T01:30:00Z', '2040-03-25T01:00:00Z', '2040-03-26T00:30:00Z']);
  });
});
