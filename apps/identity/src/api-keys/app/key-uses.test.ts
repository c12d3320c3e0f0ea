import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import type { KeyUse } from '../domain/api-keys.ts';
import { keyUses } from './key-uses.ts';

const logger = createLogger({ service: 'identity', level: 'silent' });
const use = (apiKeyId: string, time: string): KeyUse => ({ organisationId: 'org_1', apiKeyId, at: new Date(time) });

function recording() {
  const written: (readonly KeyUse[])[] = [];
  let broken = false;
  const uses = keyUses(
    {
      recordUses: (batch) => {
        if (broken) return Promise.reject(new Error('no database'));
        written.push(batch);
        return Promise.resolve();
      },
    },
    logger,
  );
  return { uses, written, breakDown: (now: boolean) => (broken = now) };
}

describe('the last use of keys', () => {
  it('is written once per key, to the minute of the latest use', async () => {
    const { uses, written } = recording();
    uses.note(use('a', '2026-05-01T12:00:10.000Z'));
    uses.note(use('b', '2026-05-01T12:00:20.000Z'));
    uses.note(use('a', '2026-05-01T12:01:59.999Z'));
    await uses.flush();
    expect(written).toEqual([[use('a', '2026-05-01T12:01:00.000Z'), use('b', '2026-05-01T12:00:00.000Z')]]);
  });

  it('is not written again when there is nothing new', async () => {
    const { uses, written } = recording();
    uses.note(use('a', '2026-05-01T12:00:00.000Z'));
    await uses.flush();
    await uses.flush();
    expect(written).toHaveLength(1);
  });

  it('is kept while the database is away, and a newer use wins', async () => {
    const { uses, written, breakDown } = recording();
    uses.note(use('a', '2026-05-01T12:00:00.000Z'));
    uses.note(use('b', '2026-05-01T12:00:00.000Z'));
    breakDown(true);
    const flushing = uses.flush();
    uses.note(use('a', '2026-05-01T12:05:00.000Z'));
    await flushing;
    breakDown(false);
    await uses.flush();
    expect(written).toEqual([[use('a', '2026-05-01T12:05:00.000Z'), use('b', '2026-05-01T12:00:00.000Z')]]);
  });
});
