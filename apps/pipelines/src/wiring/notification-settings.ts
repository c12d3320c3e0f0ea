import { optional, secret, text, url, type Configuration } from '@platform-backend/core';

export const notificationSettings = {
  SMTP_URL: optional(
    secret(url({ protocols: ['smtp', 'smtps'], example: 'smtp://user:password@mail.example.com:587' })),
  ),
  SMTP_FROM: text({ default: 'Platform <no-reply@localhost>' }),
  SLACK_BOT_TOKEN: optional(secret(text())),
  SLACK_API_URL: url({ protocols: ['https', 'http'], default: 'https://slack.com/api' }),
  /** The folder of `npm start`: letters that go out no other way are written there. */
  PLATFORM_HOME: optional(text()),
};

export type NotificationSettings = Configuration<typeof notificationSettings>;
