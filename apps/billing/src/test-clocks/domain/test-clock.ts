import { invalid, unchanged, type Decision } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import { testClockAdvancing, testClockExists, testClockNotFound } from './errors.ts';

/** What time it is for one organisation, in the sandbox. */
export interface TestClock {
  readonly id: string;
  readonly name: string;
  /** How far it is ahead of the real time, in milliseconds. It runs as fast as that one and is never behind it. */
  readonly aheadMs: number;
  /** Where it is being advanced to, by its own time; null: all that is due has happened. */
  readonly advancingTo: Date | null;
  /** By the real time. */
  readonly createdAt: Date;
}

/** How far it may be advanced at once, in milliseconds: each step of the way is gone. */
const maxAdvanceMs = 2 * 366 * 86_400_000;

export const timeOf = ({ aheadMs }: Pick<TestClock, 'aheadMs'>, realTime: Date): Date =>
  new Date(realTime.getTime() + aheadMs);

/** It begins at the present time. CONFLICT: there is one. */
export function createTestClock(
  known: TestClock | null,
  { id, name }: Pick<TestClock, 'id' | 'name'>,
  realTime: Date,
): Decision<TestClock, BillingEvent, TestClock> {
  if (known) throw testClockExists();
  const clock: TestClock = { id, name, aheadMs: 0, advancingTo: null, createdAt: realTime };
  const data = { test_clock_id: id, name };
  const change = { before: null, after: { name } };
  return {
    state: clock,
    events: [{ name: 'test_clock.created', subject: id, at: realTime, data, change }],
    result: clock,
  };
}

/**
 * Has it advanced; what is due until then follows. The same once more changes nothing. NOT_FOUND: there is none. CONFLICT: it is
 * being advanced to another time. INVALID: that is not later, or too far away.
 */
export function advanceTestClock(
  known: TestClock | null,
  to: Date,
  realTime: Date,
): Decision<TestClock | null, BillingEvent, TestClock> {
  if (!known) throw testClockNotFound();
  if (known.advancingTo?.getTime() === to.getTime()) return { ...unchanged(known), result: known };
  if (known.advancingTo) throw testClockAdvancing();
  const now = timeOf(known, realTime);
  if (to <= now) throw wrongTime(to, `Input should be later than ${now.toISOString()}`);
  if (to.getTime() - now.getTime() > maxAdvanceMs) throw wrongTime(to, 'Input should be at most two years later');
  const clock = { ...known, advancingTo: to };
  const times = { from: now.toISOString(), to: to.toISOString() };
  const change = { before: { now: times.from }, after: { now: times.to } };
  const data = { test_clock_id: known.id, ...times };
  return {
    state: clock,
    events: [{ name: 'test_clock.advanced', subject: known.id, at: now, data, change }],
    result: clock,
  };
}

/** NOT_FOUND: there is none. CONFLICT: it is being advanced. */
export function deleteTestClock(
  known: TestClock | null,
  realTime: Date,
): Decision<TestClock | null, BillingEvent, string> {
  if (!known) throw testClockNotFound();
  if (known.advancingTo) throw testClockAdvancing();
  return { ...removeTestClock(known, realTime), result: known.id };
}

/** Of an organisation that is no more: whatever the clock is doing. */
export function removeTestClock(
  known: TestClock | null,
  realTime: Date,
): Decision<TestClock | null, BillingEvent, null> {
  if (!known) return { ...unchanged(known), result: null };
  const { id, name } = known;
  const change = { before: { name }, after: null };
  const event = { name: 'test_clock.deleted', subject: id, at: realTime, data: { test_clock_id: id }, change } as const;
  return { state: null, events: [event], result: null };
}

/**
 * One step of its way, once nothing is left to do at its time: to what is due next, or to its end. Null: something that is due
 * has still to happen.
 */
export function stepTestClock(
  known: TestClock,
  nextDueAt: Date | null,
  realTime: Date,
): Decision<TestClock, BillingEvent> | null {
  const { advancingTo: target } = known;
  if (!target) return unchanged(known);
  const now = timeOf(known, realTime);
  if (nextDueAt !== null && nextDueAt <= now) return null;
  if (target <= now) {
    const state = { ...known, advancingTo: null };
    const data = { test_clock_id: known.id, at: now.toISOString() };
    return { state, events: [{ name: 'test_clock.ready', subject: known.id, at: now, data }], result: state };
  }
  const next = nextDueAt !== null && nextDueAt < target ? nextDueAt : target;
  const state = { ...known, aheadMs: next.getTime() - realTime.getTime() };
  return { state, events: [], result: state };
}

const wrongTime = (to: Date, msg: string) =>
  invalid([{ type: 'value_error', loc: ['body', 'to'], msg, input: to.toISOString() }]);
