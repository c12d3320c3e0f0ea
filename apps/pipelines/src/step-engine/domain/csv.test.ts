import { describe, expect, it } from '@jest/globals';
import { decimalType, schemaMismatch } from './csv.ts';

describe('a CSV', () => {
  it('has its numbers as decimals where these hold all of them', () => {
    const digits = (whole: number, scale: number, areOthers = false) => decimalType({ whole, scale, areOthers });
    expect([digits(2, 2), digits(30, 0), digits(10, 28), digits(1, 1, true), digits(20, 19)]).toEqual([
      'DECIMAL(18,2)',
      'DECIMAL(38,0)',
      'DECIMAL(38,28)',
      undefined,
      undefined,
    ]);
  });

  it('is held to the columns that are declared, by name or one after the other', () => {
    const declared = ['a', 'b'].map((name) => ({ name, type: 'BIGINT' }));
    expect(schemaMismatch(declared, ['b', 'a'], true)).toBeUndefined();
    expect(schemaMismatch(declared, ['column0', 'column1'], false)).toBeUndefined();
    expect(schemaMismatch(declared, ['column0'], false)).toBe('The file has 1 columns, and 2 are declared');
    expect(schemaMismatch(declared, ['a', 'c', 'd'], true)).toBe(
      'The file lacks "b"; "c", "d" of the file are not declared',
    );
  });
});
