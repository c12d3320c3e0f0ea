import { describe, expect, it } from '@jest/globals';
import { Decimal128, Int32 } from 'bson';
import { calculate, divide, Sum, truncate } from './numbers.ts';
import type { Numeric } from './values.ts';

const decimal = (text: string): Decimal128 => Decimal128.fromString(text);
const sumOf = (...numbers: Numeric[]): Numeric => {
  const sum = new Sum();
  for (const number of numbers) sum.add(number);
  return sum.total();
};

describe('numbers of BSON', () => {
  it('keep the wider of two types, and become 64 bits where 32 are too few', () => {
    expect(calculate('add', new Int32(1), new Int32(2))).toEqual(new Int32(3));
    expect(calculate('add', new Int32(2_147_483_647), new Int32(1))).toBe(2_147_483_648n);
    expect(calculate('add', new Int32(1), 2n)).toBe(3n);
    expect(calculate('multiply', 2n, 0.5)).toBe(1);
    expect(calculate('add', decimal('0.1'), new Int32(1)).toString()).toBe('1.1');
  });

  it('that outgrow 64 bits are doubles, or refused where they are to be exact', () => {
    expect(calculate('multiply', 2n ** 62n, 4n)).toBe(2 ** 64);
    expect(() => calculate('multiply', 2n ** 62n, 4n, true)).toThrow('outgrows 64 bits');
  });

  it('have 34 digits as decimals, the last one rounded half to even', () => {
    expect(divide(decimal('1'), decimal('3')).toString()).toBe('0.3333333333333333333333333333333333');
    expect(divide(decimal('2'), decimal('3')).toString()).toBe('0.6666666666666666666666666666666667');
    expect(divide(decimal('1'), new Int32(4)).toString()).toBe('0.25');
    expect(() => divide(new Int32(1), new Int32(0))).toThrow('zero');
  });

  it('are summed without losing what is small', () => {
    expect(sumOf(1e16, 1, 1, -1e16)).toBe(2);
    expect(sumOf(new Int32(1), 2n)).toBe(3n);
    expect(sumOf(9007199254740992, decimal('0.1')).toString()).toBe('9007199254740992.1');
    expect(sumOf()).toEqual(new Int32(0));
  });

  it('lose their fraction when they are truncated', () => {
    expect([1.9, -1.9, decimal('-7.5'), decimal('9007199254740993'), new Int32(3)].map(truncate)).toEqual([
      1n,
      -1n,
      -7n,
      9007199254740993n,
      3n,
    ]);
    expect(truncate(Infinity)).toBeUndefined();
  });
});
