import { describe, expect, it } from '@jest/globals';
import { Decimal128, Int32 } from 'bson';
import { compare, mirrored, orderBytes } from './order.ts';
import type { Value } from './values.ts';

const decimal = (text: string): Value => Decimal128.fromString(text);

describe('the bytes of a value', () => {
  const ascending: Value[][] = [
    [NaN, decimal('NaN')],
    [-Infinity, decimal('-Infinity')],
    [decimal('-1E400')],
    [-Number.MAX_VALUE],
    [-9007199254740993n],
    [decimal('-9007199254740992.5')],
    [-9007199254740992n, -9007199254740992],
    [decimal('-0.1')],
    [decimal('-1E-6000')],
    [0, -0, 0n, new Int32(0), decimal('0.00')],
    [decimal('1E-6000')],
    [Number.MIN_VALUE],
    [decimal('0.1')],
    [0.1],
    [1, 1n, new Int32(1), decimal('1.0')],
    [9007199254740992n, 9007199254740992],
    [9007199254740993n, decimal('9007199254740993')],
    [9007199254740994n, 9007199254740994],
    [Number.MAX_VALUE],
    [decimal('1E400')],
    [decimal('2E400')],
    [Infinity, decimal('Infinity')],
    [''],
    ['a'],
    ['a\0'],
    ['a\0b'],
    ['a\x01'],
    ['ab'],
    [new Map()],
    [new Map([['a', 1]]), new Map([['a', new Int32(1)]])],
    [
      new Map([
        ['a', 1],
        ['b', 1],
      ]),
    ],
    [new Map([['b', 0]])],
    [[]],
    [[1]],
    [[1, 1]],
    [[2]],
  ];
  const all = ascending.flatMap((same, rank) => same.map((value) => ({ value, rank })));

  it('compare as the values do, whatever their numeric type', () => {
    for (const one of all)
      for (const other of all)
        expect([Math.sign(compare(one.value, other.value)), one, other]).toEqual([
          Math.sign(one.rank - other.rank),
          one,
          other,
        ]);
  });

  it('compare the other way round when they are mirrored', () => {
    for (const one of all)
      for (const other of all)
        expect(Buffer.compare(mirrored(orderBytes(one.value)), mirrored(orderBytes(other.value)))).toBe(
          0 - Math.sign(one.rank - other.rank) || 0,
        );
  });

  it('never begin with the bytes of another value, so that fields of an index are not confused', () => {
    for (const one of all)
      for (const other of all) {
        if (one.rank === other.rank) continue;
        const bytes = orderBytes(other.value);
        expect(orderBytes(one.value).subarray(0, bytes.length).equals(bytes)).toBe(false);
      }
  });
});
