import type { Conversation } from './conversation.ts';

type Identified = { id: string };
type Headers = Record<string, string>;
type Execution = Identified & { status: string; notifications: { status: string }[] };

/** It is due every minute, so that a minute goes by at most. */
const FIRING_LIMIT_MS = 120_000;

/** What an assistant does by itself: a template that fires by its schedule and tells people. */
export const walkTaskTemplates = async (
  { chapter, send, until }: Conversation,
  headers: Headers,
  userId: string,
): Promise<void> => {
  chapter('A task template: an assistant looks something up every minute and tells people; five times ahead first');
  const preview = `/task-templates/preview/?cron_schedule=${encodeURIComponent('30 2 * * *')}&time_zone=Europe/Berlin`;
  await send({ method: 'GET', path: preview, headers, expect: 200 });
  const template = await send<Identified>({
    method: 'POST',
    path: '/task-templates/',
    headers,
    body: {
      name: 'Days of leave',
      instruction: 'How many days of leave does everybody have?',
      cron_schedule: '* * * * *',
      schedule_enabled: true,
      notification_settings: [
        { method: 'EMAIL', user_ids: [userId] },
        { method: 'SLACK', channel_ids: ['C0PLATFORM'] },
      ],
    },
    expect: 200,
  });

  chapter('It fires by its schedule within the minute, and each notification is logged');
  const path = `/task-templates/${template.id}/executions/`;
  const [fired] = await until<Execution[]>(
    { method: 'GET', path, headers, expect: 200 },
    (executions) => executions.some(({ status }) => status === 'SUCCEEDED' || status === 'FAILED'),
    FIRING_LIMIT_MS,
  );
  await until<Execution>(
    { method: 'GET', path: `${path}${fired?.id ?? ''}/`, headers, expect: 200 },
    ({ notifications }) => notifications.every(({ status }) => status === 'SENT'),
    FIRING_LIMIT_MS,
  );
  await send({ method: 'POST', path: `/task-templates/${template.id}/pause/`, headers, expect: 200 });
  await send({ method: 'DELETE', path: `/task-templates/${template.id}/`, headers, expect: 200 });
};
