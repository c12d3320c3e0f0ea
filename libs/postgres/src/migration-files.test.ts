import { describe, expect, it } from '@jest/globals';
import { inOrder } from './migration-files.ts';

describe('the order of migrations', () => {
  it('is the order of their numbers, however the folder lists them', () => {
    expect(inOrder(['0010_keys.ts', '0002_groups.ts', '0001_organisations.ts'])).toEqual([
      '0001_organisations.ts',
      '0002_groups.ts',
      '0010_keys.ts',
    ]);
  });

  it('is never a guess: two files with one number are refused', () => {
    expect(() => inOrder(['0001_groups.ts', '0001_keys.ts'])).toThrow('0001_groups.ts and 0001_keys.ts');
  });

  it.each(['readme.md', '1_short.ts', '0001_Upper.ts', '0001_plain.js', '0001.ts'])('has no place for %s', (file) => {
    expect(() => inOrder([file])).toThrow(`${file} is not named like a migration`);
  });
});
