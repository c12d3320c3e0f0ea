import { describe, expect, it } from '@jest/globals';
import { storableJson, storableText } from './storable.ts';

describe('what is to be kept in PostgreSQL', () => {
  it('loses the characters that are kept nowhere, and nothing else', () => {
    expect(storableText('a\0b\u{1F600}\uD800c\n')).toBe('a\uFFFDb\u{1F600}\uFFFDc\n');
  });

  it.each([
    ['a value', { text: 'a\0b' }, { text: 'a\uFFFDb' }],
    ['the name of a field', { 'a\0b': 1 }, { 'a\uFFFDb': 1 }],
    ['half of a pair', ['\uDC00', '\uD83D\uDE00'], ['\uFFFD', '\uD83D\uDE00']],
    ['what only looks like one', String.raw`\u0000 \\u0000`, String.raw`\u0000 \\u0000`],
    ['one behind backslashes', '\\\0 \\\\\0', '\\\uFFFD \\\\\uFFFD'],
    ['other escapes', 'a\n\u0001\u001F"', 'a\n\u0001\u001F"'],
    ['no text', { a: [1, null, true] }, { a: [1, null, true] }],
  ])('as JSON: %s', (_, value, kept) => {
    expect(JSON.parse(storableJson(value))).toEqual(kept);
  });
});
