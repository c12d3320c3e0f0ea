import { describe, expect, it } from '@jest/globals';
import { ConfigurationError } from '@platform/core';
import { readConfig } from './config.ts';

const complete = {
  IDENTITY_DATABASE_URL: 'postgres://identity_app:secret@db:5432/identity',
  NATS_URL: 'nats://nats:4222',
  SERVICE_PUBLIC_KEYS: '{"keys":[]}',
};

describe('the configuration', () => {
  it('needs a database, NATS and keys, and has defaults for the rest', () => {
    expect(readConfig(complete)).toMatchObject({
      IDENTITY_LISTEN: '127.0.0.1:5001',
    });
  });

  it('names everything that is missing or wrong at once, and shows no secret', () => {
    try {
      readConfig({
        ...complete,
        NATS_URL: '',
        IDENTITY_DATABASE_URL: 'mysql://u:hush@db/x',
        SERVICE_PUBLIC_KEYS: '"hush"',
      });
      throw new Error('it was accepted');
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      expect(error.problems).toHaveLength(3);
      expect(error.message).not.toContain('hush');
    }
  });
});
