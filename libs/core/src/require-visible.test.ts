import { describe, expect, it } from '@jest/globals';
import { requireVisible } from './require-visible.ts';

describe('a text that people read', () => {
  it.each(['', ' ', '\t\n', '\u00a0\u3000', '\u200b\u200d', '\u0000'])(
    'is refused where nothing can be seen of it: %j',
    (text) => {
      expect(() => requireVisible('body', { name: text, title: 'A' })).toThrow(
        expect.objectContaining({ kind: 'invalid', violations: [expect.objectContaining({ loc: ['body', 'name'] })] }),
      );
    },
  );

  it('is taken where something can, or where none was given', () => {
    for (const name of ['a', ' · ', '👩‍🔬', '東京', null, undefined]) requireVisible('body', { name });
  });
});
