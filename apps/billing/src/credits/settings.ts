import { integer, optional } from '@platform-backend/core';

export const creditSettings = {
  BILLING_WELCOME_CREDITS: optional(
    integer({
      min: 0,
      max: 1_000_000,
      defaultDescription: 'as in the price book, which gives 0; by `npm start` 100',
      description: 'credits that are given once to every organisation',
    }),
  ),
  BILLING_SWEEP_SECONDS: integer({
    default: 5,
    min: 1,
    max: 8,
    description: 'how often reservations of dead workers are looked for',
  }),
};
