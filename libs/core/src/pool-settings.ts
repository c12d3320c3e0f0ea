import { formerly, integer, optional } from './settings.ts';

/** How many connections to its database a service has, who may use how many of them, and how long one is waited for. */
export const poolSettings = (connections: number) => ({
  DATABASE_POOL: integer({
    default: connections,
    min: 2,
    max: 200,
    description: 'most connections of one replica',
  }),
  DATABASE_MAX_PER_ORGANISATION: formerly(
    'DATABASE_SHARE',
    optional(
      integer({
        min: 1,
        max: 200,
        defaultDescription: 'a quarter of the pool',
        description: 'of these, most for one organisation at a time',
      }),
    ),
  ),
  DATABASE_WAIT_MS: integer({
    default: 5_000,
    min: 100,
    max: 600_000,
    description: 'milliseconds: longest wait for a connection; then 503',
  }),
});
