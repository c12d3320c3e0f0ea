import { describe, expect, it } from '@jest/globals';
import { createAlert, deleteAlert, updateAlert, type BalanceAlert } from './balance-alert.ts';
import { balanceAlertExists, balanceAlertNotFound, tooManyBalanceAlerts } from './errors.ts';

const at = new Date('2026-04-01T12:00:00Z');
const alert = (threshold: bigint, more: Partial<BalanceAlert> = {}): BalanceAlert => ({
  ...{ id: `at ${String(threshold)}`, threshold, isLow: false, lastCrossedAt: null, createdAt: at },
  ...more,
});

describe('alerts of the balance', () => {
  it('wait for the balance to fall, or first to rise where it is low already', () => {
    const low = [9n, 10n, 11n].map((balance) => createAlert([], alert(10n), balance, at).result.isLow);
    expect(low).toEqual([true, true, false]);
  });

  it('are at most ten, each at a threshold of its own', () => {
    const ten = Array.from({ length: 10 }, (_, n) => alert(BigInt(n)));
    expect(() => createAlert(ten, alert(99n), 0n, at)).toThrow(tooManyBalanceAlerts({ max: 10 }));
    expect(() => createAlert([alert(5n)], { id: 'another', threshold: 5n }, 0n, at)).toThrow(balanceAlertExists());
    expect(() => updateAlert([alert(5n), alert(6n)], 'at 6', 5n, 0n, at)).toThrow(balanceAlertExists());
  });

  it('begin anew at another threshold, and stay as they are at their own', () => {
    const known = [alert(5n, { isLow: true, lastCrossedAt: at })];
    expect(updateAlert(known, 'at 5', 5n, 9n, at)).toEqual({ state: known, events: [], result: known[0] });
    const { state, events } = updateAlert(known, 'at 5', 7n, 9n, at);
    expect(state).toEqual([{ ...known[0], threshold: 7n, isLow: false }]);
    expect(events).toMatchObject([
      { change: { before: { threshold_micros: '5' }, after: { threshold_micros: '7' } }, data: { change: 'updated' } },
    ]);
  });

  it('are deleted once', () => {
    const { state } = deleteAlert([alert(5n)], 'at 5', at);
    expect(state).toEqual([]);
    expect(() => deleteAlert(state, 'at 5', at)).toThrow(balanceAlertNotFound());
  });
});
