import { describe, expect, it } from '@jest/globals';
import { pendingPrecondition, withPrecondition } from '@platform-backend/core';
import { organisationTime } from './organisation-time.ts';

const real = { now: () => new Date('2026-01-01T00:00:00Z') };

describe('the time of organisations', () => {
  it('is known to a change with a condition without judging it, which would wait for this itself', async () => {
    const time = organisationTime(
      {
        // As the store asks: in a transaction that first judges what the present call has to hold to.
        organisations: async () => {
          await Promise.resolve();
          await pendingPrecondition()?.judge();
          return [];
        },
        get: () => Promise.resolve(null),
      } as never,
      real,
    );
    const judge = async (): Promise<void> => {
      await time.by('org_1', () => Promise.resolve());
    };
    const changed = withPrecondition(judge, () => time.by('org_1', () => Promise.resolve('changed')));
    expect(await changed).toBe('changed');
  });
});
