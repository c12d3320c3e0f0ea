import { describe, expect, it } from '@jest/globals';
import { includesLevel, PERMISSION_LEVELS } from './permission-level.ts';

describe('a permission level', () => {
  it.each(PERMISSION_LEVELS)('%s includes itself and those before it alone', (level) => {
    const included = PERMISSION_LEVELS.filter((wanted) => includesLevel(level, wanted));
    expect(included).toEqual(PERMISSION_LEVELS.slice(0, PERMISSION_LEVELS.indexOf(level) + 1));
  });

  it.each([null, undefined])('that is %s includes nothing', (none) => {
    expect(PERMISSION_LEVELS.some((wanted) => includesLevel(none, wanted))).toBe(false);
  });
});
