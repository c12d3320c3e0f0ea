import { describe, expect, it } from '@jest/globals';
import { isCountry, unknownCountry } from './country.ts';

describe('a country', () => {
  it.each(['DE', 'GR', 'GB', 'US', 'AX', 'TL', 'XK', 'ZW'])('is one of ISO 3166-1, or Kosovo: %s', (code) => {
    expect(isCountry(code)).toBe(true);
    expect(unknownCountry(code, 'body')).toEqual([]);
  });

  it.each(['EL', 'UK', 'EU', 'UN', 'XX', 'XA', 'XB', 'ZZ', 'QO', 'AA', 'DD', 'SU', 'de', '', 'DE GR'])(
    'is nothing that only looks like one: "%s"',
    (code) => {
      expect(isCountry(code)).toBe(false);
      expect(unknownCountry(code, 'query')).toEqual([
        expect.objectContaining({ type: 'value_error', loc: ['query', 'country'], input: code }),
      ]);
    },
  );

  it('is one of 249, and Kosovo', () => {
    const letters = Array.from({ length: 26 }, (_, at) => String.fromCharCode(65 + at));
    const codes = letters.flatMap((first) => letters.map((second) => first + second));
    expect(codes.filter(isCountry)).toHaveLength(250);
  });
});
