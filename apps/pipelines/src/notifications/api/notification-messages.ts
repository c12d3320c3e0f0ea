import type {
  NotificationSetting as NotificationSettingMessage,
  NotificationSettingInput,
  TaskNotificationInput,
} from '@platform-backend/contract-pipelines';
import type { NotificationSetting, NotifiedRecipient } from '../domain/notification.ts';

/** None: of a kind that the contract does not know. */
export function settingOf({ email, slack, webhook }: NotificationSettingMessage): NotificationSetting[] {
  if (email) return [{ method: 'EMAIL', userIds: email.userIds }];
  if (slack) return [{ method: 'SLACK', channelIds: slack.channelIds }];
  return webhook ? [{ method: 'WEBHOOK', webhookIds: webhook.webhookIds }] : [];
}

export function settingMessage(setting: NotificationSetting): NotificationSettingInput {
  if (setting.method === 'EMAIL') return { email: { userIds: [...setting.userIds] } };
  return setting.method === 'SLACK'
    ? { slack: { channelIds: [...setting.channelIds] } }
    : { webhook: { webhookIds: [...setting.webhookIds] } };
}

export const notificationMessage = ({
  method,
  recipient,
  status,
  attempts,
}: NotifiedRecipient): TaskNotificationInput => ({
  method,
  recipient,
  status,
  attempts: attempts.map(({ at, error }) => ({ at: new Date(at), error })),
});
