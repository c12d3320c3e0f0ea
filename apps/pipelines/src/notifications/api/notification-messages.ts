import type {
  NotificationSetting as NotificationSettingMessage,
  NotificationSettingInput,
  TaskNotificationInput,
} from '@platform-backend/contract-pipelines';
import type { Notification, NotificationSetting } from '../domain/notification.ts';

/** None: of a kind that the contract does not know. */
export function settingOf({ email, slack }: NotificationSettingMessage): NotificationSetting[] {
  if (email) return [{ method: 'EMAIL', userIds: email.userIds }];
  return slack ? [{ method: 'SLACK', channelIds: slack.channelIds }] : [];
}

export const settingMessage = (setting: NotificationSetting): NotificationSettingInput =>
  setting.method === 'EMAIL'
    ? { email: { userIds: [...setting.userIds] } }
    : { slack: { channelIds: [...setting.channelIds] } };

export const notificationMessage = ({ method, recipient, status, attempts }: Notification): TaskNotificationInput => ({
  method,
  recipient,
  status,
  attempts: attempts.map(({ at, error }) => ({ at: new Date(at), error })),
});
