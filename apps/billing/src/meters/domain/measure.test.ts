import { describe, expect, it } from '@jest/globals';
import type { DomainError } from '@platform-backend/core';
import fc from 'fast-check';
import { decimalOf, measure, type UsageEvent } from './measure.ts';
import { meterQuery } from './meter-query.ts';
import type { Meter } from './meter.ts';
import { isPath, valueAt } from './property-path.ts';

describe('the number of an event', () => {
  it.each([
    [1, '1'],
    [-0.5, '-0.5'],
    [1e-7, '0.000000100'],
    [0.1 + 0.2, null],
    ['12345678901234567.123456789', '12345678901234567.123456789'],
    ['1e3', null],
    ['', null],
    [' 1', null],
    [Number.NaN, null],
    [1e21, null],
    [true, null],
    [null, null],
    [undefined, null],
  ])('is taken digit by digit, or not at all: %j', (value, digits) => {
    expect(decimalOf(value)).toBe(digits);
  });

  it('is what was given, whenever it is taken', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        const digits = decimalOf(value);
        expect(digits === null || Number(digits) === value).toBe(true);
      }),
    );
  });
});

describe('the path to the value of a usage event', () => {
  it('has names alone', () => {
    expect(['$.a', '$.a.b_c.d-e', '$.a.b.c.d.e'].filter(isPath)).toHaveLength(3);
    expect(['', '$', 'a', '$.', '$.a[0]', '$..a', '$.a.b.c.d.e.f', '$.1', '$.a.'].filter(isPath)).toEqual([]);
  });

  it('leads to what stands there, and to nothing that objects bring along', () => {
    expect(valueAt({ a: { b: 1 } }, '$.a.b')).toBe(1);
    expect(['$.b', '$.a.b.c', '$.constructor', '$.a.length'].map((path) => valueAt({ a: { b: 1 } }, path))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(valueAt({ a: [1] }, '$.a.length')).toBeUndefined();
  });
});

describe('usage events that cannot be counted', () => {
  const at = new Date('2026-11-25T12:00:00Z');
  const meter: Meter = {
    ...{ id: 'meter', slug: 'tokens', name: '', description: '', eventType: 'prompt', aggregation: 'SUM' },
    ...{ valueProperty: '$.tokens', groupBy: {}, createdAt: at, updatedAt: at, archivedAt: null },
  };
  const refused = (count: number): DomainError => {
    const events = Array.from({ length: count }, (_, n): UsageEvent => {
      const data = n % 10 === 9 ? { tokens: 1 } : {};
      return { source: 'shop', id: String(n), type: 'prompt', subject: null, time: at, data };
    });
    try {
      measure(events, [meter], at);
    } catch (error) {
      return error as DomainError;
    }
    throw new Error('they were counted');
  };

  it('are named each, by what is wrong with them or, where they are many, together in front', () => {
    expect(refused(3).violations?.map(({ loc }) => loc)).toEqual([0, 1, 2].map((n) => ['body', n, 'data', 'tokens']));
    expect(refused(30).violations?.[0]).toMatchObject({ loc: ['body'], ctx: { events: '0-8,10-18,20-28' } });
  });
});

describe('a group of a meter', () => {
  const at = new Date('2026-11-25T12:00:00Z');
  const meter: Meter = {
    ...{ id: 'meter', slug: 'prompts', name: '', description: '', eventType: 'prompt', aggregation: 'COUNT' },
    ...{ valueProperty: null, createdAt: at, updatedAt: at, archivedAt: null },
    groupBy: Object.fromEntries([
      ['constructor', '$.a'],
      ['__proto__', '$.b'],
    ]),
  };
  const question = { from: null, to: null, window: null, groupBy: [] };

  it('may be named as something that every object has', () => {
    const event: UsageEvent = {
      ...{ source: 'shop', id: '1', type: 'prompt', subject: null, time: at },
      data: { a: 'x', b: 'y' },
    };
    const [measured] = measure([event], [meter], at);
    expect(Object.entries(measured?.groups ?? {})).toEqual([
      ['constructor', 'x'],
      ['__proto__', 'y'],
    ]);
    const asked = { ...question, filters: ['constructor=x', '__proto__=y', 'constructor=z'] };
    expect(Object.entries(meterQuery(meter, asked, at).filters)).toEqual([
      ['constructor', ['x', 'z']],
      ['__proto__', ['y']],
    ]);
  });

  it('that the meter does not have is refused, whatever its name', () => {
    expect(() => meterQuery(meter, { ...question, filters: ['toString=x'] }, at)).toThrow(
      expect.objectContaining({ kind: 'invalid' }),
    );
  });
});
