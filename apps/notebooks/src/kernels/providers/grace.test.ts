import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { afterGrace } from './grace.ts';

describe('the grace of a kernel that was interrupted', () => {
  beforeAll(() => void jest.useFakeTimers());
  afterAll(() => void jest.useRealTimers());

  const begun = (cpuMs: () => number | undefined) => {
    const over = jest.fn();
    return { over, callOff: afterGrace(3_000, cpuMs, over) };
  };

  it('is counted in its own time of CPU, so that a machine where others compute costs no memory', () => {
    let used = 500;
    const { over } = begun(() => used);
    jest.advanceTimersByTime(10_000);
    used += 2_900;
    jest.advanceTimersByTime(1_000);
    expect(over).not.toHaveBeenCalled();
    used += 100;
    jest.advanceTimersByTime(1_000);
    expect(over).toHaveBeenCalledTimes(1);
  });

  it('is over some time for one that computes nothing', () => {
    const { over } = begun(() => 0);
    jest.advanceTimersByTime(14_000);
    expect(over).not.toHaveBeenCalled();
    jest.advanceTimersByTime(2_000);
    expect(over).toHaveBeenCalledTimes(1);
  });

  it('is plain time where nobody knows what it computes, and no less for one that computes on many cores', () => {
    let used = 0;
    const all = [begun(() => undefined), begun(() => (used += 100_000))];
    jest.advanceTimersByTime(2_900);
    for (const { over } of all) expect(over).not.toHaveBeenCalled();
    jest.advanceTimersByTime(200);
    for (const { over } of all) expect(over).toHaveBeenCalledTimes(1);
  });

  it('is called off by a kernel that has stopped', () => {
    const { over, callOff } = begun(() => undefined);
    callOff();
    expect(jest.getTimerCount()).toBe(0);
    jest.advanceTimersByTime(60_000);
    expect(over).not.toHaveBeenCalled();
  });
});
