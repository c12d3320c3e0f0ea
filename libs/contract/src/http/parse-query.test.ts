import { describe, expect, it } from '@jest/globals';
import { parseQuery } from './parse-query.ts';
import { percentDecoded, percentEncoded } from './percent-decoding.ts';

const entries = (raw: string): unknown => Object.fromEntries(parseQuery(raw));

describe('query strings', () => {
  it('keep every value of a name in order', () => {
    expect(entries('a=1&b=2&a=3')).toEqual({ a: ['1', '3'], b: ['2'] });
  });

  it('separate at & only; a name alone has an empty value', () => {
    expect(entries('a&&b=&=c&d=1;e=2&f=g=h')).toEqual({ a: [''], b: [''], '': ['c'], d: ['1;e=2'], f: ['g=h'] });
    expect(entries('')).toEqual({});
  });

  it('are decoded without ever failing', () => {
    expect(entries('%6Cimit=a+b%20c&x=%ff%zz%C3%A9%C3')).toEqual({ limit: ['a b c'], x: ['\ufffd%zzé\ufffd'] });
    expect(parseQuery('__proto__=1').get('__proto__')).toEqual(['1']);
  });
});

describe('percent-encoding', () => {
  it('is undone and done again', () => {
    expect(percentEncoded(percentDecoded('/a%20b/%C3%A9/%7Bx%7D'))).toBe('/a%20b/%C3%A9/%7Bx%7D');
    expect(percentEncoded('/a\r\nb"<>')).toBe('/a%0D%0Ab%22%3C%3E');
  });
});
