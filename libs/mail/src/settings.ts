import { optional, secret, text, url } from '@platform-backend/core';

/** How mail goes out. */
export const mailSettings = {
  SMTP_URL: optional(
    secret(
      url({
        protocols: ['smtp', 'smtps'],
        example: 'smtp://user:password@mail.example.com:587',
        description: 'mail server; without one mails are files in `notifications` of `PLATFORM_HOME`',
      }),
    ),
  ),
  SMTP_FROM: text({ default: 'Platform <no-reply@localhost>', description: 'sender of mails' }),
};
