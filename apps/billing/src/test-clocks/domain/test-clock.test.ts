import { describe, expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import { testClockAdvancing, testClockExists, testClockNotFound } from './errors.ts';
import {
  advanceTestClock,
  createTestClock,
  deleteTestClock,
  stepTestClock,
  timeOf,
  type TestClock,
} from './test-clock.ts';

const noon = new Date('2026-04-01T12:00:00.000Z');
const later = (days: number, from = noon): Date => new Date(from.getTime() + days * 86_400_000);
const clock = (more: Partial<TestClock> = {}): TestClock => ({
  ...{ id: 'clock-1', name: 'a year', aheadMs: 0, advancingTo: null, createdAt: noon },
  ...more,
});

describe('a test clock', () => {
  it('begins at the present time, and an organisation has one', () => {
    const { state, events } = createTestClock(null, { id: 'clock-1', name: 'a year' }, noon);
    expect(timeOf(state, noon)).toEqual(noon);
    expect(events.map(({ name }) => name)).toEqual(['test_clock.created']);
    expect(() => createTestClock(state, { id: 'clock-2', name: '' }, noon)).toThrow(testClockExists());
  });

  it('is advanced to one time after the other, and never back', () => {
    const { state } = advanceTestClock(clock(), later(30), noon);
    expect(advanceTestClock(state, later(30), noon).events).toEqual([]);
    expect(() => advanceTestClock(state, later(31), noon)).toThrow(testClockAdvancing());
    expect(() => deleteTestClock(state, noon)).toThrow(testClockAdvancing());
    expect(() => advanceTestClock(null, later(30), noon)).toThrow(testClockNotFound());
    for (const to of [noon, later(-1), later(800)]) {
      expect(() => advanceTestClock(clock(), to, noon)).toThrow(DomainError);
    }
  });

  it('stops at each moment at which something is due, until that has happened', () => {
    const advancing = clock({ advancingTo: later(60) });
    const first = stepTestClock(advancing, later(30), noon);
    if (!first) throw new Error('nothing was due');
    expect(timeOf(first.state, noon)).toEqual(later(30));
    expect(first.state.advancingTo).toEqual(later(60));
    expect(stepTestClock(first.state, later(30), noon)).toBeNull();
    const last = stepTestClock(first.state, later(61), noon);
    if (!last) throw new Error('nothing was due');
    expect(timeOf(last.state, noon)).toEqual(later(60));
    const ready = stepTestClock(last.state, later(61), noon);
    expect(ready?.state.advancingTo).toBeNull();
    expect(ready?.events.map(({ name }) => name)).toEqual(['test_clock.ready']);
  });

  it('runs on with the real time', () => {
    expect(timeOf(clock({ aheadMs: 5_000 }), later(1))).toEqual(new Date(later(1).getTime() + 5_000));
    const known = clock();
    expect(stepTestClock(known, later(-1), noon)?.state).toBe(known);
  });
});
