import { describe, expect, it } from '@jest/globals';
import { readBoolean } from './boolean.ts';
import { FloatNumber } from './input-value.ts';

describe('reading booleans', () => {
  it('understands the usual words in any case, 0 and 1', () => {
    for (const value of [true, 1, new FloatNumber(1), '1', 'on', 'T', 'TRUE', 'y', 'Yes'])
      expect(readBoolean(value)).toBe(true);
    for (const value of [false, 0, new FloatNumber(-0), '0', 'off', 'F', 'False', 'n', 'NO'])
      expect(readBoolean(value)).toBe(false);
  });

  it('refuses other words and whole numbers as unreadable', () => {
    for (const value of ['', ' true', '2', '1.0', 'null', 2, -1, 2n ** 62n, new FloatNumber(2), 'ｏｎ']) {
      expect(readBoolean(value)).toMatchObject({ type: 'bool_parsing' });
    }
  });

  it('refuses everything else as another type', () => {
    for (const value of [null, [], {}, new FloatNumber(0.5), 2n ** 64n]) {
      expect(readBoolean(value)).toMatchObject({ type: 'bool_type' });
    }
  });
});
