import type { Logger } from '@platform-backend/core';
import { join } from 'node:path';
import type { SlackChannels } from '../domain/slack-channels.ts';
import type { Notifiers } from '../domain/task-templates.ts';
import { notificationFolder } from './notification-folder.ts';
import { inOwnChannels } from './own-channels.ts';
import { slackApi } from './slack-api.ts';
import { smtpMail } from './smtp-mail.ts';

interface NotifierChoice {
  readonly SMTP_URL: string | undefined;
  readonly SMTP_FROM: string;
  readonly SLACK_BOT_TOKEN: string | undefined;
  readonly SLACK_CHANNELS: SlackChannels | undefined;
  readonly SLACK_API_URL: string;
  readonly PLATFORM_HOME: string | undefined;
}

/** Mail and Slack as they are set; else a folder, and where there is none either, letters are given up. */
export function openNotifiers(settings: NotifierChoice, logger: Pick<Logger, 'warn'>): Notifiers {
  const { SMTP_URL: smtpUrl, SMTP_FROM: from, SLACK_BOT_TOKEN: token, SLACK_API_URL: slackUrl } = settings;
  const otherwise = instead(settings);
  if (!smtpUrl || !token) {
    const missing = [...(smtpUrl ? [] : ['mail']), ...(token ? [] : ['Slack'])].join(' and ');
    logger.warn({ event: 'notifications.not_set_up' }, `notifications by ${missing} ${otherwise.what}`);
  }
  return {
    mail: smtpUrl ? smtpMail({ url: smtpUrl, from }) : otherwise.notifiers.mail,
    slack: token
      ? inOwnChannels(settings.SLACK_CHANNELS ?? {}, slackApi({ token, url: slackUrl, logger }))
      : otherwise.notifiers.slack,
  };
}

function instead({ PLATFORM_HOME: home }: NotifierChoice): { what: string; notifiers: Notifiers } {
  if (home !== undefined) {
    const folder = join(home, 'notifications');
    return { what: `are written to ${folder}`, notifiers: notificationFolder(folder) };
  }
  const giveUp = () => Promise.resolve({ outcome: 'GIVE_UP', reason: 'No way to send it is set up' } as const);
  return { what: 'are not sent: no way is set up', notifiers: { mail: giveUp, slack: giveUp } };
}
