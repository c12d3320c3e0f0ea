import { json, optional, secret, text, url } from '@platform-backend/core';
import { HOME } from '../step-engine/settings.ts';
import type { SlackChannels } from './domain/slack-channels.ts';

const isChannels = (value: unknown): value is SlackChannels =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every(
    (channels) => Array.isArray(channels) && channels.every((channel) => typeof channel === 'string'),
  );

export const notificationSettings = {
  SMTP_URL: optional(
    secret(
      url({
        protocols: ['smtp', 'smtps'],
        example: 'smtp://user:password@mail.example.com:587',
        description: 'mail server of notifications; without one they are files in `notifications` of `PLATFORM_HOME`',
      }),
    ),
  ),
  SMTP_FROM: text({ default: 'Platform <no-reply@localhost>', description: 'sender of these mails' }),
  SLACK_BOT_TOKEN: optional(
    secret(
      text({
        description:
          'a token that may `chat:write`, and `channels:history` to post nothing twice after a crash; without one what would be posted is a file, as mails are',
      }),
    ),
  ),
  SLACK_CHANNELS: optional(
    json(isChannels, {
      mustBe: 'a JSON object that names the channels of organisations by their ids',
      example: '{"org_01M8AFXDT7WRW2BQK6Y48E66PV":["C024BE91L"]}',
      secret: false,
      description:
        'which organisation may have which channels told; all others are refused, as the token may post in any',
    }),
  ),
  SLACK_API_URL: url({ protocols: ['https', 'http'], default: 'https://slack.com/api', description: 'where Slack is' }),
  PLATFORM_HOME: optional(text({ description: HOME })),
};
