import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { accessLogOf } from './access-log.ts';
import { createLogger, type Logger } from './logger.ts';

function recorded(level?: string): { logger: Logger; lines: () => Record<string, unknown>[]; text: () => string } {
  const written: string[] = [];
  const logger = createLogger({
    service: 'identity',
    level,
    destination: { write: (line: string) => void written.push(line) },
  });
  return {
    logger,
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
    text: () => written.join(''),
  };
}

describe('a log line', () => {
  it('is one JSON object with level by name, ISO time and service', () => {
    const { logger, lines, text } = recorded();
    logger.info({ groupId: 'g1' }, 'made');
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        service: 'identity',
        groupId: 'g1',
        msg: 'made',
      },
    ]);
    expect(text().endsWith('}\n')).toBe(true);
  });

  it.each([
    { authorization: 'hunter2' },
    { headers: { authorization: 'hunter2', cookie: 'hunter2', 'api-key': 'hunter2', 'set-cookie': ['hunter2'] } },
    { req: { headers: { Authorization: 'hunter2', 'Api-Key': 'hunter2' } } },
    { password: 'hunter2', user: { password: 'hunter2' } },
    { a: { b: { c: { d: { token: 'hunter2', secret: { deep: 'hunter2' } } } } } },
    { configuration: { privateKey: { d: 'hunter2' }, client_secret: 'hunter2', accessToken: 'hunter2' } },
    { list: [{ apiKey: 'hunter2' }] },
    { a: { b: { c: { d: { e: { f: { g: { secret: 'hunter2' } } } } } } } },
    { X_API_KEY: 'hunter2', PASSWORD: 'hunter2', databasePassword: 'hunter2', STRIPE_SECRET_KEY: 'hunter2' },
    { map: new Map([['refreshToken', 'hunter2']]), said: { toJSON: () => ({ idToken: 'hunter2' }) } },
    { url: 'postgresql://app:hunter2@127.0.0.1:5432/shop', header: 'authorization: Bearer hunter2hunter2' },
    { text: `is ${['pk', 'hunter2'.repeat(7)].join('_')} good?`, [['pk', 'hunter2'.repeat(7)].join('_')]: 1 },
    { jwt: `eyJhbGciOiJFZERTQSJ9.hunter2.hunter2`, stripe: 'seti_1_secret_hunter2hunter2' },
  ])('never shows what stands under a secret name (%#)', (fields) => {
    const { logger, text } = recorded();
    logger.info(fields, 'careful');
    logger.child(fields).info('careful');
    expect(text()).toContain('[redacted]');
    expect(text()).not.toContain('hunter2');
  });

  it('shows an error with its stack and cause, but not a secret it carries', () => {
    const { logger, text, lines } = recorded();
    logger.error({
      err: Object.assign(new Error('failed', { cause: new Error('deeper') }), { config: { password: 'hunter2' } }),
    });
    expect(lines()[0]).toMatchObject({
      err: {
        type: 'Error',
        message: 'failed',
        stack: expect.stringContaining('logger.test.ts'),
        config: { password: '[redacted]' },
        cause: { message: 'deeper', stack: expect.stringContaining('logger.test.ts') },
      },
    });
    expect(text()).not.toContain('hunter2');
  });

  it('shows no secret in its message or in that of an error', () => {
    const { logger, text } = recorded();
    const key = `pk_${'hunter2'.repeat(7)}`;
    logger.warn({ err: new Error(`${key} is unknown`) }, `refused ${key}`);
    logger.warn(new Error(`${key} is unknown`));
    expect(text()).not.toContain('hunter2');
  });

  it('says how large bytes are instead of showing them', () => {
    const { logger, lines } = recorded();
    logger.info({ payload: Buffer.from('{}'), err: Object.assign(new Error('no'), { payload: new Uint8Array(3) }) });
    expect(lines()[0]).toMatchObject({ payload: '[2 bytes]', err: { payload: '[3 bytes]' } });
  });

  it('is not written below the level', () => {
    const { logger, lines } = recorded('warn');
    logger.info('quiet');
    logger.warn('loud');
    expect(lines()).toHaveLength(1);
  });

  it('is written at info when the level is unknown', () => {
    expect(recorded('verbos').logger.level).toBe('info');
  });
});

/** Values that break those who look at them, each made anew. */
const hostile: (() => unknown)[] = [
  () => new Proxy({}, new Proxy({}, { get: () => refuse })),
  () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  () => Object.create(new Proxy({}, { getPrototypeOf: refuse, get: refuse, has: refuse })) as unknown,
  () => Object.defineProperty({}, 'refuses', { get: refuse, enumerable: true }),
  () => ({ toJSON: refuse }),
  () => ({
    toJSON() {
      return this;
    },
  }),
  () => ({ toJSON: endless }),
  () => {
    const circular: Record<string, unknown> = {};
    return Object.assign(circular, { itself: circular, list: [circular] });
  },
  () => Array.from({ length: 5_000 }).reduce<object>((inner) => ({ inner }), {}),
  () => Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => [[], {}])),
  () => Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key ${String(index)}`, index])),
  () => '\u0000'.repeat(100_000),
  () => '\ud800'.repeat(20_000),
  () => 'eyJ'.repeat(100_000),
  () => '://:'.repeat(100_000),
  () => Buffer.alloc(1_000_000),
  () => new BigInt64Array(3),
  () => 10n ** 100_000n,
  () => Symbol('s'.repeat(100_000)),
  () => refuse,
  () => new Date(Number.NaN),
  () => Object.assign(Object.create(null), { toString: refuse, hasOwnProperty: 1, constructor: 'c' }) as unknown,
  () => JSON.parse('{"__proto__": {"level": 1}, "serializers": 1, "msg": {"toString": 1}}') as unknown,
  () =>
    new Map<unknown, unknown>([
      [{}, refuse],
      [Symbol('key'), 1],
      ['password', 'x'],
    ]),
  () => new Set([new Set()]),
  () => {
    const error: Error = new Error('circular');
    return Object.assign(error, { cause: error, errors: [error, error] });
  },
  () => Array.from({ length: 1_000 }).reduce<Error>((cause) => new Error('one of many', { cause }), new Error('first')),
  () =>
    new AggregateError(
      Array.from({ length: 1_000 }, () => new Error('e'.repeat(1_000))),
      'many',
    ),
  () => Object.defineProperty(new Error('x'), 'stack', { get: refuse }),
  () => Object.defineProperty(new Error('x'), 'message', { get: refuse }),
  () => Object.assign(new Error('x'), { message: 12n, stack: { a: 1 }, constructor: null, name: refuse }),
  () => ({
    method: 1,
    headers: 1,
    socket: {
      get remoteAddress() {
        return refuse();
      },
    },
  }),
  () => ({ setHeader: () => undefined, getHeaders: refuse, headersSent: true }),
];

function refuse(): never {
  throw new TypeError('nobody may look');
}
function endless(): object {
  return { toJSON: endless };
}

/** As functions: what generates values could not bear to look at some of them either. */
const anything: fc.Arbitrary<() => unknown> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc
      .anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withNullPrototype: true,
        withTypedArray: true,
        withSparseArray: true,
        withBoxedValues: true,
      })
      .map((value) => () => value),
  },
  { weight: 2, arbitrary: fc.constantFrom(...hostile) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.string({ unit: 'binary' }), fc.constantFrom(...hostile)).map(([name, make]) => () => ({
      [name]: make(),
      list: [make()],
    })),
  },
);

describe('whatever is logged', () => {
  it('gives one line of JSON of at most 32 KiB, and never an exception', () => {
    const written: string[] = [];
    const destination = { write: (line: string) => void written.push(line) };
    const logger = createLogger({ service: 'any', level: 'trace', destination });
    const expectLines = (log: () => void, count = 1): void => {
      written.length = 0;
      log();
      expect(written).toHaveLength(count);
      for (const line of written) {
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(Buffer.byteLength(line)).toBeLessThanOrEqual(32 * 1024);
        expect(JSON.parse(line)).toMatchObject({ time: expect.stringMatching(/Z$/), service: expect.anything() });
      }
    };
    const log = (...given: unknown[]): void => logger.error(...(given as [object]));

    fc.assert(
      fc.property(anything, anything, anything, (makeOne, makeOther, makeThird) => {
        const [one, other, third] = [makeOne(), makeOther(), makeThird()];
        expectLines(() => log(one));
        expectLines(() => log({ err: one, other }, third));
        expectLines(() => log(one, 'a %s, a %d, a %j and a %o', other, third, one, other));
        expectLines(() => log(one, other, third));
        expectLines(() => {
          const child = logger.child(one as object).child({ two: other, three: third });
          child.fatal(third as object, 'text');
          child.info(other as object);
        }, 2);
      }),
      { numRuns: 100, seed: 20_260_101 },
    );
  });

  it('ends nobody who writes the line of a request, either', () => {
    const broken = { write: refuse };
    const logger = createLogger({ service: 'any', destination: broken });
    for (const log of [logger, accessLogOf(logger)]) {
      for (const make of hostile) log.info(make() as object, 'request');
    }
  });
});
