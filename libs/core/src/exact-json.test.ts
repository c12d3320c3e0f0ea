import { describe, expect, it } from '@jest/globals';
import { exactNumberText, parseExactJson } from './exact-json.ts';

describe('exact JSON', () => {
  it('is written as it was read, to the last digit', () => {
    const text = '{"a":[1152921504606846977,123456789012345678901234567890,-0.0,1.0,1e500,1.10,-0],"b":"1.0"}';
    expect(JSON.stringify(parseExactJson(text))).toBe(text);
  });

  it('has numbers where these are all that was written', () => {
    expect(parseExactJson('{"a":[1,2.5,-3],"b":"e1.5"}')).toEqual({ a: [1, 2.5, -3], b: 'e1.5' });
    const [big, small] = parseExactJson('[12345678901234567890,1]') as unknown[];
    expect([exactNumberText(big), exactNumberText(small)]).toEqual(['12345678901234567890', undefined]);
  });

  it('is no JSON that JSON.parse does not take', () => {
    expect(() => parseExactJson('[1.0,NaN]')).toThrow(SyntaxError);
  });
});
