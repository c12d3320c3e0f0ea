import { describe, expect, it } from '@jest/globals';
import { readDatetime } from './datetime.ts';
import { FloatNumber } from './input-value.ts';
import { Problem } from './problem.ts';

function shown(value: unknown): string {
  const result = readDatetime(value);
  if (result instanceof Problem) return `${result.type}: ${String(result.ctx?.['error'])}`;
  const { seconds, micros } = result;
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}.${String(micros).padStart(6, '0')}`;
}

describe('reading points in time', () => {
  it.each([
    ['2026-01-01T10:00:00Z', '2026-01-01T10:00:00.000000'],
    ['2026-01-01 10:00', '2026-01-01T10:00:00.000000'],
    ['2026-01-01_10:00:00,5', '2026-01-01T10:00:00.500000'],
    ['2026-01-01t10:00:00.1234569z', '2026-01-01T10:00:00.123456'],
    ['2026-01-01T10:00:00+02:30', '2026-01-01T07:30:00.000000'],
    ['2026-01-01T10:00:00-0230', '2026-01-01T12:30:00.000000'],
    ['2026-01-01T10:00:00\u221202:00', '2026-01-01T12:00:00.000000'],
    ['2024-02-29', '2024-02-29T00:00:00.000000'],
    ['0001-01-01', '0001-01-01T00:00:00.000000'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000000'],
  ])('the text %s is %s', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    ['2026', '1970-01-01T00:33:46.000000'],
    ['-1', '1969-12-31T23:59:59.000000'],
    [20_000_000_000, '2603-10-11T11:33:20.000000'],
    [20_000_000_001, '1970-08-20T11:33:20.001000'],
    ['1700000000000', '2023-11-14T22:13:20.000000'],
    ['1700000000.1234567', '2023-11-14T22:13:20.123457'],
    [new FloatNumber(1.5), '1970-01-01T00:00:01.500000'],
    [new FloatNumber(-0.5), '1969-12-31T23:59:59.500000'],
  ])('the number %p is %s: seconds near zero, else milliseconds', (value, expected) => {
    expect(shown(value)).toBe(expected);
  });

  it.each([
    ['', 'input is too short'],
    ['tomorrow', 'input is too short'],
    ['abcd-01-01', 'invalid character in year'],
    ['2026/01/01', 'invalid date separator, expected `-`'],
    ['2026-0x-01', 'invalid character in month'],
    ['2026-01-0x', 'invalid character in day'],
    ['2026-13-01', 'month value is outside expected range of 1-12'],
    ['2026-02-29', 'day value is outside expected range'],
    ['2026-01-01T24:00:00Z', 'unexpected extra characters at the end of the input'],
    ['2026-01-01T10', 'unexpected extra characters at the end of the input'],
    ['2026-01-01T10:00:00+24:00', 'unexpected extra characters at the end of the input'],
    ['253402300800000', 'dates after 9999 are not supported as unix timestamps'],
    ['592233720368534775808', 'dates after 9999 are not supported as unix timestamps'],
    ['9'.repeat(1_000_000), 'invalid date separator, expected `-`'],
  ])('the text %.40s is refused: %s', (text, error) => {
    expect(shown(text)).toBe(`datetime_from_date_parsing: ${error}`);
  });

  it('knows no year 0, and no number beyond the calendar', () => {
    expect(shown('0000-01-01')).toBe('datetime_parsing: year 0 is out of range');
    expect(shown(2n ** 63n)).toBe('datetime_parsing: dates after 9999 are not supported as unix timestamps');
    expect(shown(-(2n ** 70n))).toBe('datetime_parsing: dates before 0000 are not supported as unix timestamps');
    expect(shown(new FloatNumber(1e300))).toBe(
      'datetime_parsing: dates after 9999 are not supported as unix timestamps',
    );
  });

  it('refuses other types', () => {
    for (const value of [null, true, [], {}]) expect(readDatetime(value)).toMatchObject({ type: 'datetime_type' });
  });
});
