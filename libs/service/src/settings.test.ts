import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, integer } from '@platform-backend/core';
import { postgres } from '@platform-backend/postgres/storage';
import { defineService } from './define-service.ts';

const declaration = {
  name: 'shelves',
  port: 5009,
  settings: { SHELVES_WIDTH: integer({ default: 3 }) },
  storage: postgres({ migrations: new URL('./', import.meta.url), connections: 7 }),
  contract: { domain: 'shelves', image: '' },
  calls: {},
  events: { publishes: true, follows: [], reactions: {} },
} as const;
const shelves = defineService(declaration);
const calling = defineService({ ...declaration, calls: { walls: { domain: 'walls', image: '' } } });

const complete = {
  SHELVES_DATABASE_URL: 'postgres://shelves_app:secret@db:5432/shelves',
  NATS_URL: 'nats://nats:4222',
  SERVICE_PUBLIC_KEYS: '{"keys":[]}',
};
const key = '{"kty":"OKP","crv":"Ed25519","kid":"shelves","x":"x","d":"d"}';

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('the settings of a service', () => {
  it('are a database, NATS and keys, with defaults for the rest', () => {
    expect(shelves.readSettings(complete)).toMatchObject({
      server: { LISTEN: '127.0.0.1:5009' },
      storage: { DATABASE_URL: complete.SHELVES_DATABASE_URL, DATABASE_POOL: 7 },
      own: { SHELVES_WIDTH: 3 },
    });
  });

  it('are, of one that calls others, a key to sign with and where they are', () => {
    expect(problemsOf(() => calling.readSettings(complete)).map((problem) => problem.split(' ')[0])).toEqual([
      'SERVICE_PRIVATE_KEY',
      'WALLS_ADDRESS',
    ]);
    const told = { ...complete, SERVICE_PRIVATE_KEY: key, WALLS_ADDRESS: 'walls:5010' };
    expect(calling.readSettings(told).addresses).toEqual({ walls: 'walls:5010' });
  });

  it('are, of one that can do without others, where these are if anybody says so', () => {
    const mayCall = defineService({ ...declaration, callsIfThere: { walls: { domain: 'walls', image: '' } } });
    const told = { ...complete, SERVICE_PRIVATE_KEY: key };
    expect(mayCall.readSettings(told).addresses).toEqual({ walls: undefined });
    expect(mayCall.readSettings({ ...told, WALLS_ADDRESS: 'walls:5010' }).addresses).toEqual({ walls: 'walls:5010' });
  });

  it('are, when it only migrates, how to connect as the owner and as itself', () => {
    expect(problemsOf(() => shelves.readMigrationSettings({})).map((problem) => problem.split(' ')[0])).toEqual([
      'SHELVES_DATABASE_URL',
      'SHELVES_MIGRATION_URL',
    ]);
  });

  it('are refused with everything that is missing or wrong at once, and no secret is shown', () => {
    const wrong = {
      SHELVES_DATABASE_URL: 'mysql://u:hush@db/x',
      SHELVES_WIDTH: 'wide',
      SERVICE_PUBLIC_KEYS: '"hush"',
      SERVICE_PRIVATE_KEY: '{"k":"hush"}',
      WALLS_ADDRESS: 'walls:5010',
    };
    const problems = problemsOf(() => calling.readSettings(wrong));
    expect(problems).toHaveLength(5);
    expect(problems.join(' ')).not.toContain('hush');
  });
});
