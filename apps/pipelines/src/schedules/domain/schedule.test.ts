import { describe, expect, it } from '@jest/globals';
import type { DomainError } from '@platform-backend/core';
import { dueNow, firstDue, nextDue, requireTimes, type CatchUp, type ScheduleSpec } from './schedule.ts';
import type { Timetable } from './timetable.ts';

const MINUTE = 60_000;
const noon = new Date('2026-07-01T12:00:00Z');
const minutes = (count: number) => new Date(noon.getTime() + count * MINUTE);

/** A time every so many minutes, as the expression says; counts how often it is asked. */
function everyMinutes(): Timetable & { asked: () => number } {
  let asked = 0;
  return {
    next({ cron }, after) {
      asked += 1;
      const step = Number(cron) * MINUTE;
      return new Date((Math.floor(after.getTime() / step) + 1) * step);
    },
    flawOf({ cron, timeZone }) {
      if (cron === 'never') return { of: 'cron', problem: 'it never comes true' };
      return timeZone === 'Mars' ? { of: 'time_zone', problem: 'no such zone' } : undefined;
    },
    asked: () => asked,
  };
}
const spec = (catchUp: CatchUp = 'LATEST', cron = '10', startsAt: Date | null = null): ScheduleSpec => ({
  cron,
  timeZone: 'UTC',
  startsAt,
  catchUp,
});

describe('the next time of a schedule', () => {
  it('is after the moment it is set', () => {
    expect(firstDue(spec(), noon, everyMinutes())).toEqual(minutes(10));
  });

  it('is not before its start, but may be the start itself', () => {
    expect(firstDue(spec('LATEST', '10', minutes(60)), noon, everyMinutes())).toEqual(minutes(60));
    expect(firstDue(spec('LATEST', '10', minutes(-60)), noon, everyMinutes())).toEqual(minutes(10));
  });

  it('is followed by others', () => {
    expect(nextDue(spec(), noon, everyMinutes(), 3)).toEqual([minutes(10), minutes(20), minutes(30)]);
    expect(nextDue(spec(), noon, { next: () => null, flawOf: () => undefined }, 3)).toEqual([]);
  });
});

describe('what is due', () => {
  it('is nothing before its time', () => {
    expect(dueNow(spec(), minutes(10), minutes(9), everyMinutes())).toEqual({ times: [], nextAt: minutes(10) });
  });

  it.each<CatchUp>(['LATEST', 'ALL', 'NONE'])('is one time when somebody looks in time (%s)', (catchUp) => {
    const due = dueNow(spec(catchUp), minutes(10), minutes(10.5), everyMinutes());
    expect(due).toEqual({ times: [minutes(10)], nextAt: minutes(20) });
  });

  it('is the latest of those that were missed', () => {
    const due = dueNow(spec('LATEST'), minutes(10), minutes(47), everyMinutes());
    expect(due).toEqual({ times: [minutes(40)], nextAt: minutes(50) });
  });

  it('is each of those that were missed, where all are made up for', () => {
    const due = dueNow(spec('ALL'), minutes(10), minutes(47), everyMinutes());
    expect(due).toEqual({ times: [minutes(10), minutes(20), minutes(30), minutes(40)], nextAt: minutes(50) });
  });

  it('is a hundred at once of many, and then goes on with the rest', () => {
    const due = dueNow(spec('ALL', '1'), minutes(1), minutes(150), everyMinutes());
    expect(due.times).toHaveLength(100);
    expect(due.nextAt).toEqual(minutes(101));
  });

  it('is not what was missed more than a day ago', () => {
    const due = dueNow(spec('ALL', '60'), minutes(60), minutes(60 * 72), everyMinutes());
    expect(due.times).toHaveLength(24);
    expect(due.times[0]).toEqual(minutes(60 * 49));
  });

  it('is nothing that is later than a minute, where nothing is made up for', () => {
    const due = dueNow(spec('NONE'), minutes(10), minutes(12), everyMinutes());
    expect(due).toEqual({ times: [], nextAt: minutes(20) });
  });

  it('is found quickly after years of a time a minute', () => {
    const timetable = everyMinutes();
    const late = minutes(60 * 24 * 1000 + 0.5);
    expect(dueNow(spec('LATEST', '1'), minutes(1), late, timetable).times).toEqual([minutes(60 * 24 * 1000)]);
    expect(timetable.asked()).toBeLessThan(100);
  });
});

describe('a schedule that can never be due', () => {
  const fields = { cron: 'cron_schedule', timeZone: 'time_zone' };
  const refused = (cron: string, timeZone: string) => {
    try {
      requireTimes({ cron, timeZone }, everyMinutes(), fields);
      return;
    } catch (error) {
      return (error as DomainError).violations;
    }
  };

  it('is refused at the field that is wrong', () => {
    expect(refused('never', 'UTC')).toMatchObject([
      { loc: ['body', 'cron_schedule'], input: 'never', msg: 'Value error, it never comes true' },
    ]);
    expect(refused('10', 'Mars')).toMatchObject([{ loc: ['body', 'time_zone'], input: 'Mars' }]);
    expect(refused('10', 'UTC')).toBeUndefined();
  });
});
