import { invalid } from '@platform-backend/core';

/** Ids are made of the key of a request: what has this one already was made for another pipeline. */
export const usedKey = () =>
  invalid([
    {
      type: 'value_error',
      loc: ['header', 'idempotency-key'],
      msg: 'Value error, this key was used for another request',
    },
  ]);
