import type { Logger } from '@platform-backend/core';
import { openMail } from '@platform-backend/mail';
import { join } from 'node:path';
import type { Notifiers } from '../domain/notifications.ts';
import type { SlackChannels } from '../domain/slack-channels.ts';
import { inOwnChannels } from './own-channels.ts';
import { slackApi } from './slack-api.ts';
import { slackFolder } from './slack-folder.ts';

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
  const { SLACK_BOT_TOKEN: token, SLACK_API_URL: slackUrl, PLATFORM_HOME: home } = settings;
  const folder = home === undefined ? null : join(home, 'notifications');
  const mail = openMail(settings, folder);
  if (mail.instead !== null || !token) {
    const missing = [...(mail.instead === null ? [] : ['mail']), ...(token ? [] : ['Slack'])].join(' and ');
    const instead = folder === null ? 'are not sent: no way is set up' : `are written to ${folder}`;
    logger.warn({ event: 'notifications.not_set_up' }, `notifications by ${missing} ${instead}`);
  }
  return {
    mail: (to, { id, title, text }) => mail.send({ id, to: [to], subject: title, text }),
    slack: token
      ? inOwnChannels(settings.SLACK_CHANNELS ?? {}, slackApi({ token, url: slackUrl, logger }))
      : folder === null
        ? giveUp
        : slackFolder(folder),
  };
}

const giveUp: Notifiers['slack'] = () => Promise.resolve({ outcome: 'GIVE_UP', reason: 'No way to send it is set up' });
