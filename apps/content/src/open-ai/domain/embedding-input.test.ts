import { describe, expect, it } from '@jest/globals';
import { textsIn } from './embedding-input.ts';

describe('what is embedded', () => {
  it('is a text or several', () => {
    expect(textsIn('a')).toEqual(['a']);
    expect(textsIn(['a', 'b'])).toEqual(['a', 'b']);
  });

  it('is refused where it is none, too many, empty, or tokens', () => {
    const refused = { kind: 'invalid' };
    const tooMany = Array.from({ length: 513 }, () => 'a');
    for (const input of [[], tooMany, '', ['a', ''], [1, 2], [[1]]]) {
      const read = () => textsIn(input);
      expect(read).toThrow(expect.objectContaining(refused));
    }
  });
});
