import { expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openWhenAvailable } from './open-when-available.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const unavailable = () => new DomainError({ kind: 'unavailable' });

/** Fails so many times, and is open then. */
function failing(times: number, failure: () => Error) {
  const tried = { times: 0 };
  const open = () => ((tried.times += 1) > times ? Promise.resolve('open') : Promise.reject(failure()));
  return { tried, open };
}

it('a database that comes after the service is waited for', async () => {
  const { open, tried } = failing(3, unavailable);
  expect(await openWhenAvailable({ open, logger, pauseMs: 0 })).toBe('open');
  expect(tried.times).toBe(4);
});

it('a database that does not come is unavailable in the end', async () => {
  const { open } = failing(Infinity, unavailable);
  await expect(openWhenAvailable({ open, logger, limitMs: 0, pauseMs: 0 })).rejects.toMatchObject({
    kind: 'unavailable',
  });
});

it('a database that is wrong is told at once', async () => {
  const { open, tried } = failing(1, () => new Error('too powerful'));
  await expect(openWhenAvailable({ open, logger, pauseMs: 0 })).rejects.toThrow('too powerful');
  expect(tried.times).toBe(1);
});
