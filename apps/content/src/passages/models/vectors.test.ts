import { describe, expect, it } from '@jest/globals';
import { encodable, inBatches, unitVector } from './vectors.ts';

describe('vectors', () => {
  it('are made as long as one', () => {
    expect([...unitVector([3, 4])].map((value) => value.toFixed(6))).toEqual(['0.600000', '0.800000']);
  });

  it.each([[[]], [[0, 0]], [[1, NaN]], [[Infinity, 1]]])('that have no direction are refused: %j', (values) => {
    expect(() => unitVector(values)).toThrow(expect.objectContaining({ kind: 'upstream_failed' }));
  });
});

describe('texts that are to be embedded', () => {
  it('without content have a dot, long ones are cut, and half a letter at the cut is none', () => {
    expect(encodable(' \n', 10)).toBe('.');
    expect(encodable('12345', 3)).toBe('123');
    expect(encodable('12😀', 3)).toBe('12\uFFFD');
  });

  it('are encoded in batches', () => {
    expect(inBatches([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
    expect(inBatches([], 2)).toEqual([]);
  });
});
