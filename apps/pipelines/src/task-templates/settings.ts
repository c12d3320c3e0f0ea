import { optional, secret, text, url } from '@platform-backend/core';
import { HOME } from '../step-engine/settings.ts';

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
  SLACK_API_URL: url({ protocols: ['https', 'http'], default: 'https://slack.com/api', description: 'where Slack is' }),
  PLATFORM_HOME: optional(text({ description: HOME })),
};
