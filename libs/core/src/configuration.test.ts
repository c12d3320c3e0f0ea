import { describe, expect, it } from '@jest/globals';
import { ConfigurationError, readConfiguration, type Settings } from './configuration.ts';
import {
  flag,
  formerly,
  hostAndPort,
  integer,
  json,
  list,
  logLevel,
  oneOf,
  optional,
  port,
  secret,
  serviceAddress,
  settingsOfService,
  someOf,
  text,
  url,
} from './settings.ts';

function problemsOf(env: Record<string, string>, settings: Settings): readonly string[] {
  try {
    readConfiguration(env, settings);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}
const isKey = (value: unknown): value is { kid: string } =>
  typeof value === 'object' && value !== null && 'kid' in value;

describe('reading the configuration', () => {
  it('gives every variable its type', () => {
    const configuration = readConfiguration(
      {
        PORT: '8081',
        NATS_URL: 'nats://127.0.0.1:4222',
        IDENTITY_ADDRESS: 'identity:5001',
        OPEN: 'yes',
        MODE: 'fast',
        NAMES: ' a, b ,,c',
        KINDS: 'c, a,c',
        KEY: '{"kid":"identity"}',
        NAME: '  identity  ',
        SEATS: '-5',
      },
      {
        PORT: port(),
        NATS_URL: url({ protocols: ['nats', 'tls'] }),
        IDENTITY_ADDRESS: hostAndPort(),
        OPEN: flag(),
        MODE: oneOf(['fast', 'slow']),
        NAMES: list(),
        KINDS: someOf(['a', 'b', 'c']),
        KEY: json(isKey, { mustBe: 'a key', example: '{}' }),
        NAME: text(),
        SEATS: integer(),
        LOG_LEVEL: logLevel(),
        ABSENT: optional(text()),
      },
    );
    const typed: { PORT: number; MODE: 'fast' | 'slow'; KEY: { kid: string }; ABSENT: string | undefined } =
      configuration;
    expect(typed).toEqual({
      PORT: 8081,
      NATS_URL: 'nats://127.0.0.1:4222',
      IDENTITY_ADDRESS: 'identity:5001',
      OPEN: true,
      MODE: 'fast',
      NAMES: ['a', 'b', 'c'],
      KINDS: ['a', 'c'],
      KEY: { kid: 'identity' },
      NAME: 'identity',
      SEATS: -5,
      LOG_LEVEL: 'info',
      ABSENT: undefined,
    });
  });

  it('names every problem at once, each in a sentence with what is wanted and an example', () => {
    const problems = problemsOf(
      { PORT: 'eighty', OPEN: 'maybe', MODE: 'medium', PAGE: '201', ADDRESS: 'identity' },
      {
        PORT: port({ default: 8080 }),
        NATS_URL: url({ protocols: ['nats', 'tls'], example: 'nats://127.0.0.1:4222' }),
        OPEN: flag(),
        MODE: oneOf(['fast', 'slow']),
        PAGE: integer({ min: 1, max: 200 }),
        ADDRESS: hostAndPort(),
      },
    );
    expect(problems).toEqual([
      'PORT must be a port number from 0 to 65535 and is "eighty", for example 8080.',
      'NATS_URL is missing; it must be a URL that starts with nats:// or tls://, for example nats://127.0.0.1:4222.',
      'OPEN must be true or false and is "maybe", for example true.',
      'MODE must be one of fast, slow and is "medium", for example fast.',
      'PAGE must be a whole number from 1 to 200 and is "201", for example 1.',
      'ADDRESS must be host:port and is "identity", for example 127.0.0.1:5001.',
    ]);
  });

  it('never shows a secret: not a key, not a password in a URL', () => {
    const problems = problemsOf(
      { KEY: '{"d":"hunter2"', DATABASE_URL: 'mysql://root:hunter2@db/x', TOKEN: 'hunter2' },
      {
        KEY: json(isKey, { mustBe: 'a JWK in JSON', example: '{"kty":"OKP"}' }),
        DATABASE_URL: url({ protocols: ['postgres'] }),
        TOKEN: secret(text({ pattern: /^[A-Z]+$/, mustBe: 'capital letters', example: 'ABC' })),
      },
    );
    expect(problems).toHaveLength(3);
    expect(problems.join()).not.toContain('hunter2');
    expect(problems[2]).toBe('TOKEN must be capital letters, for example ABC.');
  });

  it('refuses a variable by its former name, and says the new one', () => {
    const settings = settingsOfService('billing', { POOL_SIZE: formerly('CONNECTIONS', integer({ default: 5 })) });
    expect(readConfiguration({ BILLING_POOL_SIZE: '7' }, settings)).toEqual({ POOL_SIZE: 7 });
    const told = 'BILLING_CONNECTIONS is called BILLING_POOL_SIZE now.';
    expect(() => readConfiguration({ BILLING_CONNECTIONS: '7' }, settings)).toThrow(told);
  });

  it('counts an empty variable as absent', () => {
    expect(readConfiguration({ PORT: '', NAME: '  ' }, { PORT: port({ default: 1 }), NAME: optional(text()) })).toEqual(
      {
        PORT: 1,
        NAME: undefined,
      },
    );
    expect(problemsOf({ NAME: ' ' }, { NAME: text() })[0]).toContain('NAME is missing');
  });

  it('cuts a long wrong value short', () => {
    const [problem = ''] = problemsOf({ MODE: 'x'.repeat(5_000) }, { MODE: oneOf(['fast']) });
    expect(problem.length).toBeLessThan(200);
  });
});

describe('a setting of a process', () => {
  it.each([
    [integer(), ['1.5', '1e3', '0x10', '', 'Infinity', '9007199254740993', '1 000']],
    [integer({ min: 1 }), ['0']],
    [integer({ max: 5 }), ['6']],
    [port(), ['-1', '65536', '80a']],
    [url(), ['nonsense', 'localhost:80', '//host', 'http://']],
    [url({ protocols: ['https'] }), ['http://host.example', 'javascript:alert(1)']],
    [hostAndPort(), ['host', 'host:', ':80', 'host:99999', 'http://host:80', 'a b:80']],
    [
      serviceAddress(),
      ['host', 'host:0', ',', 'a:1,b', 'a:1 b:2', 'dns:identity:5001', 'dns:///identity', 'dns:///a:1,b:1', 'dns:///'],
    ],
    [flag(), ['2', 'ja', 'truely']],
    [oneOf(['a']), ['A', 'b']],
    [someOf(['a', 'b']), ['c', 'A', 'a,c', 'a b', ',']],
    [json(isKey, { mustBe: '', example: '' }), ['{}', '[', 'null']],
    [logLevel(), ['verbose']],
  ])('refuses what it must refuse (%#)', (setting, texts) => {
    for (const wrong of texts) expect([wrong, setting.parse(wrong)]).toEqual([wrong, undefined]);
  });

  it('takes the addresses of several replicas, or the name of all', () => {
    const parse = (text: string) => serviceAddress().parse(text);
    expect(parse('identity:5001')).toBe('identity:5001');
    expect(parse('identity-1:5001, [::1]:5002,')).toBe('identity-1:5001,[::1]:5002');
    expect(parse('dns:///identity:5001')).toBe('dns:///identity:5001');
  });

  it('takes IPv6 addresses in brackets', () => {
    expect(hostAndPort().parse('[::1]:5001')).toBe('[::1]:5001');
  });
});
