import { describe, expect, it } from '@jest/globals';
import { daysBeginningWithin } from './days.ts';

const within = (start: string, end: string) => Object.values(daysBeginningWithin(new Date(start), new Date(end)));

describe('the days of a stretch of time', () => {
  it('are those that begin in it, the first moment within and the last one not', () => {
    expect(within('2026-11-20T00:00:00Z', '2026-11-22T00:00:00Z')).toEqual(['2026-11-20', '2026-11-21']);
    expect(within('2026-11-20T00:00:00.001Z', '2026-11-22T00:00:00.001Z')).toEqual(['2026-11-21', '2026-11-22']);
  });

  it('belong to one of two stretches that meet', () => {
    const [, last] = within('2026-11-01T00:00:00Z', '2026-11-21T00:00:00Z');
    const [first] = within('2026-11-21T00:00:00Z', '2026-11-30T00:00:00Z');
    expect([last, first]).toEqual(['2026-11-20', '2026-11-21']);
  });

  it('are none within a day', () => {
    const [first = '', last = ''] = within('2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z');
    expect(last < first).toBe(true);
  });

  it('are dates that a database knows, whatever is asked', () => {
    expect(within('0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z')).toEqual(['2000-01-01', '9999-12-31']);
    expect(within('9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z')).toEqual(['9999-12-31', '2000-01-01']);
  });
});
