import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Deadlines } from './deadlines.ts';

describe('deadlines', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const setUp = () => {
    const deadlines = new Deadlines();
    const expired: string[] = [];
    const start = Date.now();
    const add = (name: string, ms: number) => {
      const expiring = { deadline: start + ms, expire: () => void expired.push(name) };
      deadlines.add(expiring);
      return expiring;
    };
    return { deadlines, expired, add };
  };

  it('end each when its time has come, in whatever order they were set', () => {
    const { expired, add } = setUp();
    for (const [name, ms] of [
      ['late', 500],
      ['soon', 100],
      ['later', 900],
    ] as const)
      add(name, ms);
    jest.advanceTimersByTime(99);
    expect(expired).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(expired).toEqual(['soon']);
    jest.advanceTimersByTime(800);
    expect(expired).toEqual(['soon', 'late', 'later']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('end nothing that is over, and take one timer for all', () => {
    const { deadlines, expired, add } = setUp();
    const over = Array.from({ length: 100 }, (_, n) => add(`over ${n}`, 100 + n));
    add('stays', 150);
    for (const each of over) deadlines.delete(each);
    expect(jest.getTimerCount()).toBe(1);
    jest.advanceTimersByTime(1_000);
    expect(expired).toEqual(['stays']);
  });

  it('may be further away than a timer can wait', () => {
    const { expired, add } = setUp();
    add('in a month', 31 * 24 * 3_600_000);
    jest.advanceTimersByTime(30 * 24 * 3_600_000);
    expect(expired).toEqual([]);
    jest.advanceTimersByTime(24 * 3_600_000);
    expect(expired).toEqual(['in a month']);
  });

  it('end nothing when they are closed', () => {
    const { deadlines, expired, add } = setUp();
    add('never', 100);
    deadlines.close();
    jest.advanceTimersByTime(1_000);
    expect(expired).toEqual([]);
  });
});
