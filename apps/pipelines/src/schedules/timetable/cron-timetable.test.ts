import { describe, expect, it } from '@jest/globals';
import { cronTimetable } from './cron-timetable.ts';

/** The times one after the other, each asked for anew with the one before, as a schedule does. */
function timesOf(cron: string, timeZone: string, after: string, count: number): string[] {
  const found: string[] = [];
  let last: Date | null = new Date(after);
  while (found.length < count) {
    last = cronTimetable.next({ cron, timeZone }, last);
    if (!last) break;
    found.push(last.toISOString().slice(0, 16));
  }
  return found;
}

/** What it is about, cron, zone, after when, and the times in UTC that follow. */
const cases: [about: string, cron: string, timeZone: string, after: string, times: string[]][] = [
  [
    'once on the day that has no 02:30, at the end of the gap',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-03-27T12:00Z',
    ['2026-03-28T01:30', '2026-03-29T01:00', '2026-03-30T00:30'],
  ],
  [
    'once on the day that has 02:30 twice',
    '30 2 * * *',
    'Europe/Berlin',
    '2026-10-24T12:00Z',
    ['2026-10-25T00:30', '2026-10-26T01:30', '2026-10-27T01:30'],
  ],
  [
    'every half hour over a gap',
    '*/30 * * * *',
    'Europe/Berlin',
    '2026-03-29T00:10Z',
    ['2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30', '2026-03-29T02:00'],
  ],
  [
    'every half hour through an hour that comes twice',
    '*/30 * * * *',
    'Europe/Berlin',
    '2026-10-24T23:45Z',
    [
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
      '2026-10-25T02:30',
    ],
  ],
  [
    'every second hour, one of which is missing',
    '0 */2 * * *',
    'Europe/Berlin',
    '2026-03-28T22:00Z',
    ['2026-03-28T23:00', '2026-03-29T02:00', '2026-03-29T04:00', '2026-03-29T06:00'],
  ],
  [
    'two times of day in one gap come as one',
    '15,45 2 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00Z',
    ['2026-03-29T01:00', '2026-03-30T00:15', '2026-03-30T00:45'],
  ],
  [
    'two times of day in an hour that comes twice',
    '15,45 2 * * *',
    'Europe/Berlin',
    '2026-10-24T12:00Z',
    ['2026-10-25T00:15', '2026-10-25T00:45', '2026-10-26T01:15'],
  ],
  [
    'a range of hours over a gap',
    '0 1-4 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00Z',
    ['2026-03-29T00:00', '2026-03-29T01:00', '2026-03-29T02:00', '2026-03-29T23:00'],
  ],
  [
    'before the gap nothing moves',
    '30 1 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00Z',
    ['2026-03-29T00:30', '2026-03-29T23:30'],
  ],
  [
    'the first moment after the gap',
    '0 3 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00Z',
    ['2026-03-29T01:00', '2026-03-30T01:00'],
  ],
  [
    'a gap in spring',
    '30 2 * * *',
    'America/New_York',
    '2026-03-07T12:00Z',
    ['2026-03-08T07:00', '2026-03-09T06:30', '2026-03-10T06:30'],
  ],
  [
    'an hour that comes twice',
    '30 1 * * *',
    'America/New_York',
    '2026-10-31T12:00Z',
    ['2026-11-01T05:30', '2026-11-02T06:30', '2026-11-03T06:30'],
  ],
  [
    'a gap of half an hour',
    '15 2 * * *',
    'Australia/Lord_Howe',
    '2026-10-02T00:00Z',
    ['2026-10-02T15:45', '2026-10-03T15:30', '2026-10-04T15:15'],
  ],
  [
    'half an hour that comes twice',
    '45 1 * * *',
    'Australia/Lord_Howe',
    '2026-04-03T00:00Z',
    ['2026-04-03T14:45', '2026-04-04T14:45', '2026-04-05T15:15'],
  ],
  [
    'a quarter at a time over a gap of half an hour',
    '*/15 * * * *',
    'Australia/Lord_Howe',
    '2026-10-03T15:10Z',
    ['2026-10-03T15:15', '2026-10-03T15:30', '2026-10-03T15:45'],
  ],
  [
    'a quarter at a time through half an hour that comes twice',
    '*/15 * * * *',
    'Australia/Lord_Howe',
    '2026-04-04T14:20Z',
    [
      '2026-04-04T14:30',
      '2026-04-04T14:45',
      '2026-04-04T15:00',
      '2026-04-04T15:15',
      '2026-04-04T15:30',
      '2026-04-04T15:45',
    ],
  ],
  [
    'a midnight that does not come',
    '0 0 * * *',
    'America/Santiago',
    '2026-09-05T01:00Z',
    ['2026-09-05T04:00', '2026-09-06T04:00', '2026-09-07T03:00'],
  ],
  [
    'the only midnight of a year',
    '30 0 6 9 *',
    'America/Santiago',
    '2026-09-01T00:00Z',
    ['2026-09-06T04:00', '2027-09-06T03:30'],
  ],
  [
    'a Sunday without a midnight',
    '0 0 * * 0',
    'America/Santiago',
    '2026-09-01T00:00Z',
    ['2026-09-06T04:00', '2026-09-13T03:00'],
  ],
  [
    'the last hour of a day, which comes twice',
    '30 23 * * *',
    'America/Santiago',
    '2026-04-03T12:00Z',
    ['2026-04-04T02:30', '2026-04-05T02:30', '2026-04-06T03:30'],
  ],
  [
    'another midnight that does not come',
    '0 0 * * *',
    'Africa/Cairo',
    '2026-04-22T23:00Z',
    ['2026-04-23T22:00', '2026-04-24T21:00', '2026-04-25T21:00'],
  ],
  [
    'clocks that are put back for Ramadan',
    '30 2 * * *',
    'Africa/Casablanca',
    '2026-02-13T12:00Z',
    ['2026-02-14T01:30', '2026-02-15T01:30', '2026-02-16T02:30'],
  ],
  [
    'a zone that is three quarters of an hour off',
    '0 9 * * *',
    'Asia/Kathmandu',
    '2026-01-01T00:00Z',
    ['2026-01-01T03:15', '2026-01-02T03:15'],
  ],
  [
    'a gap on an island three quarters of an hour off',
    '0 3 * * *',
    'Pacific/Chatham',
    '2026-09-25T00:00Z',
    ['2026-09-25T14:15', '2026-09-26T14:00', '2026-09-27T13:15'],
  ],
  [
    'a day that an island left out',
    '0 9 * * *',
    'Pacific/Apia',
    '2011-12-29T00:00Z',
    ['2011-12-29T19:00', '2011-12-30T19:00', '2011-12-31T19:00'],
  ],
  [
    '29 February',
    '0 12 29 2 *',
    'UTC',
    '2026-01-01T00:00Z',
    ['2028-02-29T12:00', '2032-02-29T12:00', '2036-02-29T12:00'],
  ],
  [
    '29 February, not in a year that ends a century',
    '0 0 29 2 *',
    'UTC',
    '2096-01-01T00:00Z',
    ['2096-02-29T00:00', '2104-02-29T00:00'],
  ],
  [
    '29 February that is a Monday or any Monday',
    '0 0 29 2 1',
    'UTC',
    '2028-02-27T00:00Z',
    ['2028-02-28T00:00', '2028-02-29T00:00', '2029-02-05T00:00'],
  ],
  [
    'months with 31 days',
    '0 0 31 * *',
    'UTC',
    '2026-01-31T00:00Z',
    ['2026-03-31T00:00', '2026-05-31T00:00', '2026-07-31T00:00'],
  ],
  [
    'the turn of the year far in the east',
    '0 0 1 1 *',
    'Pacific/Kiritimati',
    '2026-06-01T00:00Z',
    ['2026-12-31T10:00'],
  ],
  ['working days', '0 9 * * MON-FRI', 'Europe/Berlin', '2026-07-03T08:00Z', ['2026-07-06T07:00', '2026-07-07T07:00']],
  [
    'the thirteenth or a Friday',
    '0 0 13 * 5',
    'UTC',
    '2026-02-12T12:00Z',
    ['2026-02-13T00:00', '2026-02-20T00:00', '2026-02-27T00:00'],
  ],
  ['the second Friday', '0 9 * * 5#2', 'UTC', '2026-01-01T00:00Z', ['2026-01-09T09:00', '2026-02-13T09:00']],
  ['a nickname', '@daily', 'Europe/Berlin', '2026-01-01T12:00Z', ['2026-01-01T23:00', '2026-01-02T23:00']],
  ['Sunday as 7', '0 9 * * 7', 'UTC', '2026-01-01T00:00Z', ['2026-01-04T09:00']],
];

describe('times of cron expressions', () => {
  it.each(cases)('%s: %s in %s', (_about, cron, timeZone, after, times) => {
    expect(timesOf(cron, timeZone, after, times.length)).toEqual(times);
  });

  it('end where a day never comes', () => {
    expect(cronTimetable.next({ cron: '0 0 30 2 *', timeZone: 'UTC' }, new Date('2026-01-01'))).toBeNull();
  });

  it.each([
    ['0 0 30 2 *', 'it never comes true: no such month has such a day'],
    ['61 * * * *', 'its minute cannot be 61: 0 to 59'],
    ['0 25 * * *', 'its hour cannot be 25: 0 to 23'],
    ['*/0 * * * *', 'its minute cannot be */0: 0 to 59'],
    ['5/5 * * * *', 'its minute cannot be 5/5: 0 to 59'],
    ['0 9 * 13 *', 'its month cannot be 13: 1 to 12, or JAN to DEC'],
    ['0 9 * * FRY', 'its day of the week cannot be FRY: 0 to 7, or SUN to SAT, with #1 to #5 which of the month'],
    ['* * * * * *', 'it has 6 fields and not five'],
    ['@never', 'it is none of @hourly, @daily, @weekly, @monthly, @yearly'],
  ])('%s is none that can be used: %s', (cron, problem) =>
    expect(cronTimetable.flawOf({ cron, timeZone: 'UTC' })).toEqual({ of: 'cron', problem }),
  );

  it.each(['Mars/Base', '+02:00', '', 'GMT+2'])('%s is not a time zone', (timeZone) => {
    expect(cronTimetable.flawOf({ cron: '0 9 * * 1', timeZone })).toMatchObject({ of: 'time_zone' });
  });

  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+2'])('%s is one', (timeZone) => {
    expect(cronTimetable.flawOf({ cron: '0 9 * * 1', timeZone })).toBeUndefined();
  });
});
