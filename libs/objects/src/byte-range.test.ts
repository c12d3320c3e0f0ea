import { describe, expect, it } from '@jest/globals';
import { rangeOf } from './byte-range.ts';

const file = { bytes: 10, etag: '"abc"' };
const of = (range: string, ifRange = '') => rangeOf({ range, ifRange }, file);

describe('a part of a file', () => {
  it.each([
    ['bytes=0-0', 0, 0],
    ['bytes=2-5', 2, 5],
    ['Bytes=7-', 7, 9],
    ['bytes=7-9999', 7, 9],
    ['bytes=-3', 7, 9],
    ['bytes=-9999999999999999999999', 0, 9],
    [' bytes= 0-1 ', 0, 1],
  ])('%s is from byte to byte', (range, first, last) => expect(of(range)).toEqual({ first, last }));

  it.each([
    '',
    'bytes=',
    'bytes=-',
    'bytes=5-2',
    'bytes=0-1,4-5',
    'bytes=a-b',
    'items=0-1',
    'bytes=1.5-2',
    'bytes 0-1',
  ])('is all of it for %j', (range) => expect(of(range)).toBeUndefined());

  it.each(['bytes=10-', 'bytes=10-12', 'bytes=-0', 'bytes=99999999999999999999999-'])('is not there for %s', (range) =>
    expect(() => of(range)).toThrow(expect.objectContaining({ kind: 'range_not_satisfiable', length: 10 })),
  );

  it('is all of it when the client has a part of another file, or knows it by its date', () => {
    expect(of('bytes=2-5', '"abc"')).toEqual({ first: 2, last: 5 });
    for (const other of ['"abd"', 'W/"abc"', 'Sun, 22 Nov 2026 10:00:00 GMT'])
      expect(of('bytes=2-5', other)).toBeUndefined();
  });

  it('of nothing is never there', () => {
    expect(() => rangeOf({ range: 'bytes=0-', ifRange: '' }, { bytes: 0, etag: '""' })).toThrow('Range');
  });
});
