import { describe, expect, it } from '@jest/globals';
import { FloatNumber } from './input-value.ts';
import { integerRange, readInteger } from './integer.ts';
import { Problem } from './problem.ts';

function typeOf(value: unknown): string {
  const result = readInteger(value);
  return result instanceof Problem ? result.type : 'accepted';
}

describe('reading integers', () => {
  it.each([
    [5, 5],
    [-0, 0],
    [true, 1],
    [new FloatNumber(5), 5],
    [new FloatNumber(9.1e18), 9100000000000000000n],
    [2n ** 64n, 2n ** 64n],
    ['5', 5],
    [' 5\n', 5],
    ['+5', 5],
    ['-5.000', -5],
    ['007', 7],
    ['1_000_000', 1_000_000],
    ['0__1', 1],
    ['9223372036854775808', 9223372036854775808n],
  ])('%p is %p', (value, expected) => {
    expect(readInteger(value)).toBe(expected);
  });

  it.each(['', ' ', '+', '5.', '.5', '5.5', '1e5', '0x10', '1__0', '_1', '1_', '+-5', '- 5', '٣', '5\0', 'NaN'])(
    'the text %p is not an integer',
    (text) => {
      expect(typeOf(text)).toBe('int_parsing');
    },
  );

  it('tells fractions, numbers without end and other types apart', () => {
    expect(typeOf(new FloatNumber(0.5))).toBe('int_from_float');
    expect(typeOf(new FloatNumber(1e300))).toBe('int_parsing_size');
    for (const value of [null, [], {}, undefined]) expect(typeOf(value)).toBe('int_type');
  });

  it('reads at most 4,300 digits', () => {
    expect(readInteger('9'.repeat(4300))).toBe(10n ** 4300n - 1n);
    expect(typeOf('9'.repeat(4301))).toBe('int_parsing_size');
    expect(readInteger('0'.repeat(100_000) + '7')).toBe(7);
  });

  it('needs no computing time to speak of for a text of spaces', () => {
    const before = process.cpuUsage();
    expect(typeOf(`x${' '.repeat(1_000_000)}x`)).toBe('int_parsing');
    // Time of the processor, which others who are busy do not add to; what went back and forth would take hours.
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(5_000_000);
  });

  it('compares with both bounds included', () => {
    const inRange = integerRange(1, 10_000);
    expect([0, 1, 10_000, 10_001, 10n ** 30n].map((value) => inRange(value)?.type)).toEqual([
      'greater_than_equal',
      undefined,
      undefined,
      'less_than_equal',
      'less_than_equal',
    ]);
  });

  it('shows a bound beyond 2^53 with all its digits', () => {
    const inRange = integerRange(-(2n ** 63n), 2n ** 63n - 1n);
    expect(JSON.stringify(inRange(2n ** 63n)?.ctx)).toBe('{"le":9223372036854775807}');
    expect(JSON.stringify(inRange(-(2n ** 63n) - 1n)?.ctx)).toBe('{"ge":-9223372036854775808}');
  });
});
