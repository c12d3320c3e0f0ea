import { json, optional, secret, text, url } from '@platform-backend/core';
import { mailSettings } from '@platform-backend/mail';
import { HOME } from '../step-engine/settings.ts';
import type { SlackChannels } from './domain/slack-channels.ts';

const isChannels = (value: unknown): value is SlackChannels =>
  typeof value === 'object' &&
  value !== null &&
  Object.values(value).every(
    (channels) => Array.isArray(channels) && channels.every((channel) => typeof channel === 'string'),
  );

export const notificationSettings = {
  ...mailSettings,
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
