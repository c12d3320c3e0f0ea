import { integer, optional, text } from '@platform-backend/core';
import { mailSettings } from '@platform-backend/mail';

export const billingMailSettings = {
  ...mailSettings,
  PLATFORM_HOME: optional(
    text({ description: 'the folder of `npm start`, in which mails are that have no server (`notifications`)' }),
  ),
  BILLING_MAILS_PER_DAY: integer({
    default: 200,
    min: 1,
    max: 100_000,
    description: 'how many mails an organisation gets in a day; further ones wait',
  }),
};
