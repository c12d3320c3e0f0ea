import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decimalOf } from './measure.ts';
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

describe('a path', () => {
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
