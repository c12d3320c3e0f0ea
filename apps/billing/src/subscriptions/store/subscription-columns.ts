import { bigintColumn, column, columns, nullable, type Columns } from '@platform-backend/postgres';
import type { Discount } from '../../coupons/domain/discount.ts';
import { jsonOfLines, linesOfJson, type LineJson } from '../../invoices/store/line-columns.ts';
import { saleTaxColumn } from '../../invoices/store/sale-tax-column.ts';
import type { SaleTax } from '../../prices/domain/sale-tax.ts';
import { actorColumn } from '../../purchases/store/actor-column.ts';
import type { PaidPeriod } from '../domain/paid-period.ts';
import type { AgreedCycles } from '../domain/plan-terms.ts';
import type { Plan } from '../domain/plan.ts';
import { noCredits, type SeatPrices } from '../domain/seat-prices.ts';
import type { ChangePayer, SubscriptionChange } from '../domain/subscription-change.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { Trial } from '../domain/trial.ts';

/** Subscriptions are parts of changes as well, in JSON, where moments are text. */
const moment = (name: string) =>
  column<Date>(name, { read: (stored: Date | string) => new Date(stored), write: (value) => value });

interface AgreedJson {
  cycles: number;
  currency: string;
  country: string;
  tax_basis_points: string;
  /** Absent where the release before has written it. */
  tax_treatment?: SaleTax['treatment'];
  tax_evidence?: SaleTax['evidence'];
  /** Of a trial all are 0: the release before takes what was agreed for paid, and gives none of it back then. */
  minor_units_per_seat: Record<string, Record<string, string>>;
  /** Of a trial, what seats cost after it. */
  minor_units_after_trial?: Record<string, Record<string, string>>;
  /** Absent: none come with it. */
  credits_per_seat?: Record<string, Record<string, string>>;
  /** Absent: nothing is taken off. */
  discount?: DiscountJson;
  /** Absent: it is paid for. */
  is_trial?: true;
}

type DiscountJson = Omit<Discount, 'amountOffMinor' | 'endsAt'> & {
  amountOffMinor: string | null;
  endsAt: string | null;
};

const discountOfJson = ({ amountOffMinor, endsAt, ...discount }: DiscountJson): Discount => ({
  ...discount,
  amountOffMinor: amountOffMinor === null ? null : BigInt(amountOffMinor),
  endsAt: endsAt === null ? null : new Date(endsAt),
});

const jsonOfDiscount = ({ amountOffMinor, endsAt, ...discount }: Discount): DiscountJson => ({
  ...discount,
  amountOffMinor: amountOffMinor?.toString() ?? null,
  endsAt: endsAt?.toISOString() ?? null,
});

/** What the release before has written has none; as a part of a change it is text. */
const agreedColumn: Columns<readonly AgreedCycles[]> = {
  names: ['agreed'],
  read: (row) => {
    const { agreed } = row as { agreed?: readonly AgreedJson[] | string | null };
    const stored = typeof agreed === 'string' ? (JSON.parse(agreed) as readonly AgreedJson[]) : (agreed ?? []);
    return stored.map(
      ({
        cycles,
        currency,
        country,
        minor_units_per_seat: minorUnits,
        minor_units_after_trial: perSeat = minorUnits,
        credits_per_seat: credits,
        discount,
        is_trial: isTrial,
        ...tax
      }) => ({
        cycles,
        ...(isTrial && { isTrial }),
        ...(discount && { discount: discountOfJson(discount) }),
        taxed: {
          country,
          treatment: tax.tax_treatment ?? (tax.tax_basis_points === '0' ? 'NOT_TAXED' : 'STANDARD'),
          basisPoints: BigInt(tax.tax_basis_points),
          evidence: tax.tax_evidence ?? null,
        },
        prices: {
          currency,
          perSeat: eachPrice(perSeat, BigInt) as unknown as SeatPrices['perSeat'],
          creditsPerSeat: credits ? (eachPrice(credits, BigInt) as unknown as SeatPrices['perSeat']) : noCredits,
        },
      }),
    );
  },
  write: (agreed) => ({
    agreed: JSON.stringify(
      (agreed ?? []).map(({ cycles, taxed, prices, discount, isTrial }): AgreedJson => ({
        cycles,
        ...(isTrial && { is_trial: isTrial }),
        ...(discount && { discount: jsonOfDiscount(discount) }),
        currency: prices.currency,
        country: taxed.country,
        tax_basis_points: taxed.basisPoints.toString(),
        tax_treatment: taxed.treatment,
        tax_evidence: taxed.evidence,
        minor_units_per_seat: eachPrice(prices.perSeat, isTrial ? () => '0' : String),
        ...(isTrial && { minor_units_after_trial: eachPrice(prices.perSeat, String) }),
        credits_per_seat: eachPrice(prices.creditsPerSeat, String),
      })),
    ),
  }),
};

const eachPrice = <From, To>(
  prices: Readonly<Record<string, Readonly<Record<string, From>>>>,
  to: (price: From) => To,
) =>
  Object.fromEntries(
    Object.entries(prices).map(([tier, cycles]) => [
      tier,
      Object.fromEntries(Object.entries(cycles).map(([cycle, price]) => [cycle, to(price)])),
    ]),
  );

/** Absent from what the release before has written as a part of a change. */
const unpaidColumn: Columns<string | null> = {
  names: ['unpaid_change_id'],
  read: (row) => (row as { unpaid_change_id?: string | null }).unpaid_change_id ?? null,
  write: (id) => ({ unpaid_change_id: id }),
};

interface TrialRow {
  trial_started_at?: Date | string | null;
  trial_ends_at?: Date | string | null;
  trial_missing_payment_method?: Trial['missingPaymentMethod'] | null;
}

/** Absent from what the release before has written as a part of a change. */
const trialColumns: Columns<Trial | null> = {
  names: ['trial_started_at', 'trial_ends_at', 'trial_missing_payment_method'],
  read: (row) => {
    const { trial_started_at: startedAt, trial_ends_at: endsAt, trial_missing_payment_method: end } = row as TrialRow;
    if (!startedAt || !endsAt || !end) return null;
    return { startedAt: new Date(startedAt), endsAt: new Date(endsAt), missingPaymentMethod: end };
  },
  write: (trial) => ({
    trial_started_at: trial?.startedAt ?? null,
    trial_ends_at: trial?.endsAt ?? null,
    trial_missing_payment_method: trial?.missingPaymentMethod ?? null,
  }),
};

/** A subscription as a row, and as a part of a change. */
export const subscriptionColumns = columns<Subscription>({
  id: 'id',
  plan: columns<Plan>({ tier: 'tier', seatCount: 'seat_count', renewalCycle: 'renewal_cycle' }),
  status: 'status',
  period: columns<PaidPeriod>({
    start: moment('period_start'),
    end: moment('period_end'),
    cycles: 'period_cycles',
    anchorDay: 'anchor_day',
  }),
  agreed: agreedColumn,
  trial: trialColumns,
  pending: nullable(
    columns<Plan>({
      tier: 'pending_tier',
      seatCount: 'pending_seat_count',
      renewalCycle: 'pending_renewal_cycle',
    }),
  ),
  graceEndsAt: moment('grace_ends_at'),
  unpaidChangeId: unpaidColumn,
  creditMinor: bigintColumn('credit_minor'),
  nextActionAt: moment('next_action_at'),
  version: bigintColumn('version'),
});

/** What a step of a change may alter. */
export const progressColumns = columns<
  Pick<SubscriptionChange, 'state' | 'outcome' | 'processorReference' | 'refusal'>
>({
  state: 'state',
  outcome: 'outcome',
  processorReference: 'processor_reference',
  refusal: nullable(
    columns<NonNullable<SubscriptionChange['refusal']>>({ code: 'refusal_code', message: 'refusal_message' }),
  ),
});

type Planned = Pick<
  SubscriptionChange,
  'before' | 'ifPaid' | 'ifRefused' | 'paysInvoiceOf' | 'redemptionId' | 'payer'
> & {
  readonly bill: Omit<SubscriptionChange['bill'], 'amountMinor'>;
};

interface PlanJson {
  before: object | null;
  if_paid: object;
  if_refused: object | null;
  lines: LineJson[];
  credit_minor: string;
  /** Absent where the release before has written it, as the next one. */
  pays_invoice_of?: string | null;
  payer?: ChangePayer;
  redemption_id?: string | null;
}

const planColumn = column<Planned>('plan', {
  read: (plan: PlanJson) => ({
    before: plan.before && subscriptionColumns.read(plan.before),
    ifPaid: subscriptionColumns.read(plan.if_paid),
    ifRefused: plan.if_refused && subscriptionColumns.read(plan.if_refused),
    bill: { lines: linesOfJson(plan.lines), creditMinor: BigInt(plan.credit_minor) },
    paysInvoiceOf: plan.pays_invoice_of ?? null,
    payer: plan.payer ?? { isAbsent: true, paymentMethodId: null },
    redemptionId: plan.redemption_id ?? null,
  }),
  write: ({ before, ifPaid, ifRefused, bill, paysInvoiceOf, payer, redemptionId }) =>
    JSON.stringify({
      before: before && subscriptionColumns.write(before),
      if_paid: subscriptionColumns.write(ifPaid),
      if_refused: ifRefused && subscriptionColumns.write(ifRefused),
      lines: jsonOfLines(bill.lines),
      credit_minor: bill.creditMinor.toString(),
      pays_invoice_of: paysInvoiceOf,
      payer,
      redemption_id: redemptionId,
    } satisfies PlanJson),
});

type Kept = Omit<SubscriptionChange, keyof Planned | 'state' | 'outcome' | 'processorReference' | 'refusal'>;

const keptColumns = columns<Kept>({
  id: 'id',
  organisationId: 'organisation_id',
  kind: 'kind',
  maxActiveMembers: 'most_active_members',
  currency: 'currency',
  country: 'country',
  taxed: saleTaxColumn('taxed'),
  subtotalMinor: bigintColumn('subtotal_minor'),
  taxMinor: bigintColumn('tax_minor'),
  totalMinor: bigintColumn('total_minor'),
  checkVersion: bigintColumn('check_version'),
  finalVersion: bigintColumn('final_version'),
  startedBy: actorColumn('started_by'),
  requestId: 'request_id',
  startedAt: 'started_at',
  leaseUntil: 'lease_until',
});

export function changeOfRow(row: object): SubscriptionChange {
  const kept = keptColumns.read(row);
  const { bill, ...planned } = planColumn.read(row);
  return { ...kept, ...progressColumns.read(row), ...planned, bill: { ...bill, amountMinor: kept.subtotalMinor } };
}

/** A change as it is first written down. */
export const rowOfChange = (change: SubscriptionChange) => ({
  ...keptColumns.write(change),
  ...progressColumns.write(change),
  ...planColumn.write(change),
});
