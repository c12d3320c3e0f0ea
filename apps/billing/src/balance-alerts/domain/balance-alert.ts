import { decided, unchanged, type Decision } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import { balanceAlertExists, balanceAlertNotFound, tooManyBalanceAlerts } from './errors.ts';

/** A balance of credits at which an organisation wants to be told. */
export interface BalanceAlert {
  readonly id: string;
  readonly threshold: bigint;
  /** The balance is at the threshold or below: it goes off again when the balance has risen above it and falls once more. */
  readonly isLow: boolean;
  /** When it went off last; null: never yet. */
  readonly lastCrossedAt: Date | null;
  readonly createdAt: Date;
}

/** More than anybody needs, and few enough to be looked at with a movement of credits. */
const maxAlerts = 10;

type Alerts = readonly BalanceAlert[];

/** An alert where the balance is low already waits until it has risen. CONFLICT: there is one at this threshold, or too many. */
export function createAlert(
  alerts: Alerts,
  { id, threshold }: Pick<BalanceAlert, 'id' | 'threshold'>,
  balance: bigint,
  at: Date,
): Decision<Alerts, BillingEvent, BalanceAlert> {
  if (alerts.length >= maxAlerts) throw tooManyBalanceAlerts({ max: maxAlerts });
  requireNoneAt(alerts, threshold);
  const alert: BalanceAlert = { id, threshold, isLow: balance <= threshold, lastCrossedAt: null, createdAt: at };
  return decided([...alerts, alert], changedEvent('created', null, alert, at), alert);
}

/** Begins anew at another threshold; at its own it stays as it is. NOT_FOUND: there is none. CONFLICT: as for a new one. */
export function updateAlert(
  alerts: Alerts,
  id: string,
  threshold: bigint,
  balance: bigint,
  at: Date,
): Decision<Alerts, BillingEvent, BalanceAlert> {
  const before = alertOf(alerts, id);
  if (before.threshold === threshold) return { ...unchanged(alerts), result: before };
  requireNoneAt(alerts, threshold);
  const alert: BalanceAlert = { ...before, threshold, isLow: balance <= threshold };
  const state = alerts.map((known) => (known === before ? alert : known));
  return decided(state, changedEvent('updated', before, alert, at), alert);
}

/** NOT_FOUND: there is none. */
export function deleteAlert(alerts: Alerts, id: string, at: Date): Decision<Alerts, BillingEvent, BalanceAlert> {
  const alert = alertOf(alerts, id);
  return decided(
    alerts.filter((known) => known !== alert),
    changedEvent('deleted', alert, null, at),
    alert,
  );
}

/** That an alert went off. */
export const balanceLow = (
  { id, threshold }: Pick<BalanceAlert, 'id' | 'threshold'>,
  balance: bigint,
  at: Date,
): BillingEvent<'credits.balance_low'> => ({
  name: 'credits.balance_low',
  subject: id,
  at,
  data: { alert_id: id, threshold_micros: String(threshold), balance_micros: String(balance) },
});

function alertOf(alerts: Alerts, id: string): BalanceAlert {
  const alert = alerts.find((known) => known.id === id);
  if (!alert) throw balanceAlertNotFound();
  return alert;
}

function requireNoneAt(alerts: Alerts, threshold: bigint): void {
  if (alerts.some((known) => known.threshold === threshold)) throw balanceAlertExists();
}

function changedEvent(
  change: 'created' | 'updated' | 'deleted',
  before: BalanceAlert | null,
  after: BalanceAlert | null,
  at: Date,
): BillingEvent {
  const { id, threshold } = (after ?? before) as BalanceAlert;
  return {
    name: 'balance_alert.changed',
    subject: id,
    at,
    data: { alert_id: id, change, threshold_micros: String(threshold) },
    change: { before: shown(before), after: shown(after) },
  };
}

const shown = (alert: BalanceAlert | null) => alert && { threshold_micros: String(alert.threshold) };
