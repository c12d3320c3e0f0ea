import { describe, expect, it } from '@jest/globals';
import { daysBeginningWithin, hoursBeginningWithin, hoursIn, startOfHour } from './days.ts';

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

describe('the hours of a stretch of time', () => {
  const hours = (start: string, end: string) => hoursBeginningWithin(new Date(start), new Date(end));
  it('are those that begin in it, the first moment within and the last one not', () => {
    const whole = hours('2026-11-20T10:00:00Z', '2026-11-20T12:00:00Z');
    expect([whole, hoursIn(whole)]).toEqual([
      { from: new Date('2026-11-20T10:00:00Z'), to: new Date('2026-11-20T12:00:00Z') },
      2,
    ]);
    const shifted = hours('2026-11-20T10:00:00.001Z', '2026-11-20T12:00:00.001Z');
    expect(shifted).toEqual({ from: new Date('2026-11-20T11:00:00Z'), to: new Date('2026-11-20T13:00:00Z') });
  });

  it('are none within an hour, and dates that a database knows', () => {
    expect(hoursIn(hours('2026-11-20T10:10:00Z', '2026-11-20T10:50:00Z'))).toBe(0);
    expect(hoursIn(hours('9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z'))).toBe(0);
    expect(hours('0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z').from).toEqual(new Date('2000-01-01T00:00:00Z'));
  });

  it('begin before every moment that belongs to them', () => {
    expect(startOfHour(new Date('2026-11-20T10:59:59.999Z'))).toEqual(new Date('2026-11-20T10:00:00Z'));
  });
});
