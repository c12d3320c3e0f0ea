import type { Logger } from '@platform-backend/core';
import { join } from 'node:path';
import type { Notifiers } from '../task-templates/domain/task-templates.ts';
import { notificationFolder } from '../task-templates/notifiers/notification-folder.ts';
import { slackApi } from '../task-templates/notifiers/slack-api.ts';
import { smtpMail } from '../task-templates/notifiers/smtp-mail.ts';
import type { NotificationSettings } from './notification-settings.ts';

/** Mail and Slack as they are set; else a folder, and where there is none either, letters are given up. */
export function openNotifiers(settings: NotificationSettings, logger: Pick<Logger, 'warn'>): Notifiers {
  const { SMTP_URL: smtpUrl, SMTP_FROM: from, SLACK_BOT_TOKEN: token, SLACK_API_URL: slackUrl } = settings;
  const otherwise = instead(settings);
  if (!smtpUrl || !token) {
    const missing = [...(smtpUrl ? [] : ['mail']), ...(token ? [] : ['Slack'])].join(' and ');
    logger.warn({ event: 'notifications.not_set_up' }, `notifications by ${missing} ${otherwise.what}`);
  }
  return {
    mail: smtpUrl ? smtpMail({ url: smtpUrl, from }) : otherwise.notifiers.mail,
    slack: token ? slackApi({ token, url: slackUrl, logger }) : otherwise.notifiers.slack,
  };
}

function instead({ PLATFORM_HOME: home }: NotificationSettings): { what: string; notifiers: Notifiers } {
  if (home !== undefined) {
    const folder = join(home, 'notifications');
    return { what: `are written to ${folder}`, notifiers: notificationFolder(folder) };
  }
  const giveUp = () => Promise.resolve({ outcome: 'GIVE_UP', reason: 'No way to send it is set up' } as const);
  return { what: 'are not sent: no way is set up', notifiers: { mail: giveUp, slack: giveUp } };
}
