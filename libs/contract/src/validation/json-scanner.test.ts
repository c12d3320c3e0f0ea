import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FloatNumber } from './input-value.ts';
import { JsonError, nestedTooDeep, scanJson } from './json-scanner.ts';

/** The same value with the numbers that JSON.parse makes. */
function asDoubles(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof FloatNumber) return value.value;
  if (Array.isArray(value)) return value.map(asDoubles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asDoubles(item)]));
}

describe('reading JSON exactly', () => {
  it('agrees with JSON.parse on whatever JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(undefined, 1), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expect(asDoubles(scanJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('never fails on any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'{}[]",:\\0123456789.eE+-ntfu \n\t\ud83d\ude00é'.split('')) }),
        (text) => {
          scanJson(text);
        },
      ),
    );
  });

  it('keeps great integers and tells floats from integers', () => {
    expect(scanJson('[9007199254740993, -12345678901234567890, 5, 5.0, 5e0, -0]')).toEqual([
      9007199254740993n,
      -12345678901234567890n,
      5,
      new FloatNumber(5),
      new FloatNumber(5),
      0,
    ]);
  });

  it('lets the last of equal keys count, and __proto__ be a key', () => {
    expect(scanJson('{"a":1,"a":2}')).toEqual({ a: 2 });
    const object = scanJson('{"__proto__":{"x":1}}') as object;
    expect(Object.entries(object)).toEqual([['__proto__', { x: 1 }]]);
    expect(object).not.toHaveProperty('x');
  });

  it.each([
    ['', 'Expecting value', 0],
    [' \n', 'Expecting value', 2],
    ['nul', 'Expecting value', 0],
    ['[1,]', 'Expecting value', 3],
    ['[1 2]', "Expecting ',' delimiter", 3],
    ['{', 'Expecting property name enclosed in double quotes', 1],
    ['{"a":1,}', 'Expecting property name enclosed in double quotes', 7],
    ['{"a"1}', "Expecting ':' delimiter", 4],
    ['{"a":1 "b"}', "Expecting ',' delimiter", 7],
    ['{"a":}', 'Expecting value', 5],
    ['01', 'Extra data', 1],
    ['1.', 'Extra data', 1],
    ['{} x', 'Extra data', 3],
    ['"a', 'Unterminated string starting at', 0],
    ['["\\', 'Unterminated string starting at', 1],
    ['"\t"', 'Invalid control character at', 1],
    ['"\\q"', 'Invalid \\escape', 1],
    ['"\\u12g4"', 'Invalid \\uXXXX escape', 2],
    ['"\\u1234', 'Invalid \\uXXXX escape', 2],
    ['"\\ud83d\\u00"', 'Invalid \\uXXXX escape', 8],
    ['"😀" x', 'Extra data', 4],
  ])('%s: %s at %d', (text, message, at) => {
    expect(scanJson(text)).toEqual(new JsonError(message, at));
  });

  it('refuses what Python reads and nothing else does', () => {
    for (const text of [
      'NaN',
      '[Infinity]',
      '{"a":-Infinity}',
      '1e999',
      '-1.8e308',
      '9'.repeat(400),
      '"\\ud800"',
      '"\\ude00\\ud83d"',
      '{"\\udfff":1}',
    ]) {
      expect(scanJson(text)).toBeInstanceOf(JsonError);
    }
    expect(scanJson('[NaN')).toEqual(new JsonError("Expecting ',' delimiter", 4));
  });

  it('stops at the 65th level', () => {
    expect(scanJson('['.repeat(64) + ']'.repeat(64))).toBeInstanceOf(Array);
    expect(scanJson('['.repeat(65))).toBe(nestedTooDeep);
    expect(scanJson('{"a":'.repeat(1_000_00))).toBe(nestedTooDeep);
  });
});
