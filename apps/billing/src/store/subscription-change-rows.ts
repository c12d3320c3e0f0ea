import type { Actor } from '../domain/acting.ts';
import type { ChangeKind } from '../domain/subscriptions/planned-change.ts';
import type { ChangeOutcome, ChangeState, SubscriptionChange } from '../domain/subscriptions/subscription-change.ts';
import { rowOfSubscription, subscriptionOfRow, type SubscriptionRow } from './subscription-rows.ts';

interface PlanJson {
  before: SubscriptionRow | null;
  if_paid: SubscriptionRow;
  if_refused: SubscriptionRow | null;
  lines: { description: string; quantity: number; amount_minor: string }[];
  credit_minor: string;
}

export interface SubscriptionChangeRow {
  id: string;
  organisation_id: string;
  kind: ChangeKind;
  state: ChangeState;
  outcome: ChangeOutcome | null;
  plan: PlanJson;
  most_active_members: number | null;
  currency: string;
  country: string;
  subtotal_minor: string;
  tax_minor: string;
  total_minor: string;
  check_version: string;
  final_version: string;
  processor_reference: string | null;
  refusal_code: string | null;
  refusal_message: string | null;
  started_by: Actor;
  request_id: string;
  started_at: Date;
  lease_until: Date;
}

export const changeOfRow = (row: SubscriptionChangeRow): SubscriptionChange => ({
  id: row.id,
  organisationId: row.organisation_id,
  kind: row.kind,
  state: row.state,
  outcome: row.outcome,
  before: row.plan.before && subscriptionOfRow(row.plan.before),
  ifPaid: subscriptionOfRow(row.plan.if_paid),
  ifRefused: row.plan.if_refused && subscriptionOfRow(row.plan.if_refused),
  bill: {
    lines: row.plan.lines.map(({ amount_minor: amount, ...line }) => ({ ...line, amountMinor: BigInt(amount) })),
    amountMinor: BigInt(row.subtotal_minor),
    creditMinor: BigInt(row.plan.credit_minor),
  },
  mostActiveMembers: row.most_active_members,
  currency: row.currency,
  country: row.country,
  subtotalMinor: BigInt(row.subtotal_minor),
  taxMinor: BigInt(row.tax_minor),
  totalMinor: BigInt(row.total_minor),
  checkVersion: BigInt(row.check_version),
  finalVersion: BigInt(row.final_version),
  processorReference: row.processor_reference,
  refusal:
    row.refusal_code === null ? null : { code: row.refusal_code, message: row.refusal_message ?? row.refusal_code },
  startedBy: row.started_by,
  requestId: row.request_id,
  startedAt: row.started_at,
  leaseUntil: row.lease_until,
});

/** A change as it is first written down. */
export const rowOfChange = (change: SubscriptionChange) => ({
  id: change.id,
  organisation_id: change.organisationId,
  kind: change.kind,
  plan: JSON.stringify(planJson(change)),
  most_active_members: change.mostActiveMembers,
  currency: change.currency,
  country: change.country,
  subtotal_minor: change.subtotalMinor.toString(),
  tax_minor: change.taxMinor.toString(),
  total_minor: change.totalMinor.toString(),
  check_version: change.checkVersion.toString(),
  final_version: change.finalVersion.toString(),
  started_by: JSON.stringify(change.startedBy),
  request_id: change.requestId,
  started_at: change.startedAt,
  lease_until: change.leaseUntil,
  ...progressOf(change),
});

/** What a step may alter. */
export const progressOf = ({ state, outcome, processorReference, refusal }: SubscriptionChange) => ({
  state,
  outcome,
  processor_reference: processorReference,
  refusal_code: refusal?.code ?? null,
  refusal_message: refusal?.message ?? null,
});

const planJson = ({ before, ifPaid, ifRefused, bill }: SubscriptionChange): PlanJson => ({
  before: before && rowOfSubscription(before),
  if_paid: rowOfSubscription(ifPaid),
  if_refused: ifRefused && rowOfSubscription(ifRefused),
  lines: bill.lines.map(({ amountMinor, ...line }) => ({ ...line, amount_minor: amountMinor.toString() })),
  credit_minor: bill.creditMinor.toString(),
});
