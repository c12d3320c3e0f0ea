import type { ActorContext } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';

/** What is limited: `declines` of an organisation and `declines_of_card` of one card, whoever pays with it. */
export type PaymentLimitName = 'setup_intents' | 'purchases' | 'refunds' | 'declines' | 'declines_of_card';

export interface PaymentLimit {
  readonly name: PaymentLimitName;
  readonly max: number;
  /** From the first one on, in milliseconds. */
  readonly windowMs: number;
}

export type PaymentLimits = Readonly<Record<PaymentLimitName, PaymentLimit>>;

export interface PaymentCount {
  readonly count: number;
  /** When it begins anew. */
  readonly endsAt: Date;
}

/** Where it is counted how often something was tried; `whose` is an organisation, or `card:` and its fingerprint. */
export interface PaymentCounts {
  /** Counts one more, however many count at the same moment. */
  add(whose: string, limit: PaymentLimit, at: Date): Promise<PaymentCount>;
  /** How many there are, without another one. */
  get(whose: string, limit: PaymentLimit, at: Date): Promise<PaymentCount>;
  /** Writes down that somebody was refused. */
  recordRefusal(by: ActorContext, event: BillingEvent): Promise<void>;
}

/** The audit log shows it. */
export const paymentsLimitedEvent = (
  organisationId: string,
  { name, max }: PaymentLimit,
  endsAt: Date,
  at: Date,
): BillingEvent => ({
  name: 'payments.limited',
  subject: organisationId,
  at,
  data: { limit_name: name, limit: max, ends_at: endsAt.toISOString() },
  change: { before: null, after: { limit_name: name, limit: max } },
});
