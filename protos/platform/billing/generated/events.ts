// Generated from protos/platform/events/v1/billing by `npm run generate`. Do not edit.

/** Which event has which payload. */
export type BillingEvents = {
  readonly 'credits.granted': CreditsGranted;
  readonly 'credits.reserved': CreditsReserved;
  readonly 'credits.settled': CreditsSettled;
  readonly 'credits.debited': CreditsDebited;
  readonly 'credits.released': CreditsReleased;
  readonly 'credits.exhausted': CreditsExhausted;
  readonly 'credits.expired': CreditsExpired;
  readonly 'usage.threshold_reached': UsageThresholdReached;
  readonly 'subscription.changed': SubscriptionChanged;
  readonly 'subscription.renewed': SubscriptionRenewed;
  readonly 'subscription.payment_failed': SubscriptionPaymentFailed;
  readonly 'payment_method.attached': PaymentMethodAttached;
  readonly 'payment_method.detached': PaymentMethodDetached;
  readonly 'payment_method.default_changed': PaymentMethodDefaultChanged;
  readonly 'payment_method.setup_started': PaymentMethodSetupStarted;
  readonly 'payments.limited': PaymentsLimited;
  readonly 'invoice.issued': InvoiceIssued;
  readonly 'invoice.voided': InvoiceVoided;
  readonly 'billing_details.changed': BillingDetailsChanged;
  readonly 'test_clock.created': TestClockCreated;
  readonly 'test_clock.advanced': TestClockAdvanced;
  readonly 'test_clock.ready': TestClockReady;
  readonly 'test_clock.deleted': TestClockDeleted;
  readonly 'credits.adjusted': CreditsAdjusted;
  readonly 'refund.created': RefundCreated;
  readonly 'refund.succeeded': RefundSucceeded;
  readonly 'refund.failed': RefundFailed;
  readonly 'dispute.opened': DisputeOpened;
  readonly 'dispute.closed': DisputeClosed;
  readonly 'meter.created': MeterCreated;
  readonly 'meter.updated': MeterUpdated;
  readonly 'meter.archived': MeterArchived;
  readonly 'credits.balance_low': CreditsBalanceLow;
  readonly 'balance_alert.changed': BalanceAlertChanged;
  readonly 'automatic_top_up.changed': AutomaticTopUpChanged;
  readonly 'top_up.started': TopUpStarted;
  readonly 'top_up.succeeded': TopUpSucceeded;
  readonly 'top_up.failed': TopUpFailed;
  readonly 'subscription.renewal_upcoming': SubscriptionRenewalUpcoming;
  readonly 'subscription.trial_ending': SubscriptionTrialEnding;
  readonly 'billing_mails.preferences_changed': BillingMailsPreferencesChanged;
  readonly 'coupon.redeemed': CouponRedeemed;
  readonly 'audit.recorded': AuditRecorded;
};

/** Also when they were bought. */
export type CreditsGranted = {
  readonly grant_id: string;
  /** `WELCOME`, `PLAN`, `PURCHASE`, `ADJUSTMENT` or `PROMOTIONAL`. */
  readonly kind: string;
  readonly amount_micros: string;
  /** RFC 3339; null: never. */
  readonly expires_at: string | null;
};

/** Credits were set aside before work begins. */
export type CreditsReserved = {
  readonly reservation_id: string;
  readonly amount_micros: string;
  readonly purpose: string;
  readonly client_group_id: string | null;
  readonly api_key_id: string | null;
};

/** Work is over: what was set aside for it is spent, or a part of it. */
export type CreditsSettled = {
  readonly reservation_id: string;
  readonly reserved_micros: string;
  /** What of it was spent, in micros as text; the rest is available again. */
  readonly settled_micros: string;
  readonly purpose: string;
  readonly client_group_id: string | null;
  readonly api_key_id: string | null;
};

/** What work has cost was booked: `debit.created` of the service that did it. */
export type CreditsDebited = {
  readonly debit_id: string;
  readonly amount_micros: string;
  /** What was still set aside for it until then, and to which reservation. Null: nothing was. */
  readonly reservation_id: string | null;
  readonly reserved_micros: string | null;
  readonly purpose: string;
  readonly work_id: string;
  readonly client_group_id: string | null;
  readonly api_key_id: string | null;
  readonly member_id: string | null;
};

/** What was set aside is available again, for no work came of it. */
export type CreditsReleased = {
  readonly reservation_id: string;
  readonly amount_micros: string;
  readonly purpose: string;
  /** `released` by the service that reserved them, or `expired` because it was not heard of any more. */
  readonly reason: string;
};

/** Nothing is left, or less than was asked for. Told once, until there are credits again. */
export type CreditsExhausted = {
  readonly available_micros: string;
};

/** What was left of a grant at its end is gone. */
export type CreditsExpired = {
  readonly grant_id: string;
  readonly amount_micros: string;
};

/** A client group has used 50, 80 or 100 % of a limit of its policy. Told once a period. */
export type UsageThresholdReached = {
  readonly client_group_id: string;
  /** `ai_credits`, `infrastructure_credits` or `requests`. */
  readonly limit_name: string;
  /** 50, 80 or 100. */
  readonly percent: number;
  /** How much may be used in the period: whole credits or requests, as text. */
  readonly limit: string;
  /** What of the limit was used: whole credits or requests, as text. */
  readonly used: string;
  /** When counting begins anew. */
  readonly period_ends_at: string;
};

/** Begun, upgraded, cancelled, resumed, ended, or about to become another. */
export type SubscriptionChanged = {
  readonly subscription_id: string;
  /** `BASIC` or `TEAM`. */
  readonly tier: string;
  readonly seat_count: number;
  /** `ACTIVE`, `TRIALING`, `PAST_DUE`, `CANCELING` or `ENDED`. */
  readonly status: string;
  /** `MONTHLY` or `YEARLY`. */
  readonly renewal_cycle: string;
  readonly current_period_end: string;
  /** What it becomes at the end of the period; null when it stays. */
  readonly pending_tier: string | null;
  /** How many there are from the end of the period on; null when it stays. */
  readonly pending_seat_count: number | null;
  /**
   * `started`, `trial_started`, `trial_changed`, `trial_extended`, `upgraded`, `downgrade_scheduled`, `cancellation_scheduled`, `resumed` or
   * `ended`.
   */
  readonly change: string;
  /** What was paid for it with tax, in minor units of the currency. */
  readonly total_minor: string;
  readonly currency: string;
  /** Until when it is tried for nothing, or was; null: never. */
  readonly trial_ends_at: string | null;
};

/** Paid for another cycle, by the schedule or early. */
export type SubscriptionRenewed = {
  readonly subscription_id: string;
  /** `BASIC` or `TEAM`. */
  readonly tier: string;
  readonly seat_count: number;
  /** As in subscription.changed. */
  readonly status: string;
  /** `MONTHLY` or `YEARLY`. */
  readonly renewal_cycle: string;
  readonly current_period_end: string;
  /** As in subscription.changed. */
  readonly pending_tier: string | null;
  /** As in subscription.changed. */
  readonly pending_seat_count: number | null;
  readonly total_minor: string;
  readonly currency: string;
  /** When its trial ended that this renewal follows; null where it had none. */
  readonly trial_ends_at: string | null;
};

/** A change or a renewal was not paid. */
export type SubscriptionPaymentFailed = {
  readonly subscription_id: string;
  /** As in subscription.changed, or `renewed`. */
  readonly change: string;
  /** Why: `card_declined`, `insufficient_funds`, `authentication_required`, ... */
  readonly code: string;
  readonly total_minor: string;
  readonly currency: string;
  /** Until when everything keeps working, and when it is tried again. Null unless a renewal failed. */
  readonly grace_ends_at: string | null;
  /** Null: nothing tries it again by itself. */
  readonly next_attempt_at: string | null;
};

/** The organisation can pay with it from now on. */
export type PaymentMethodAttached = {
  readonly payment_method_id: string;
  /** `card` and what else the processor knows. */
  readonly kind: string;
  /** Of a card: `visa`; else empty. */
  readonly brand: string;
  /** Digits of the card's number; else empty. */
  readonly last_four: string;
};

/** Here or at the processor. */
export type PaymentMethodDetached = {
  readonly payment_method_id: string;
};

/** Another one is charged from now on unless a payment method is named. */
export type PaymentMethodDefaultChanged = {
  readonly payment_method_id: string;
  /** The one before; null: there was none. */
  readonly former_payment_method_id: string | null;
};

/** Somebody sets up something to pay with; it is attached once its payer has confirmed it at the processor. */
export type PaymentMethodSetupStarted = {
  /** The set-up at the payment processor. */
  readonly setup_id: string;
};

/** Somebody was refused because too many payments were tried or declined, or too many cards set up. */
export type PaymentsLimited = {
  /** `setup_intents`, `purchases`, `declines` or `declines_of_card`. */
  readonly limit_name: string;
  readonly limit: number;
  /** When it begins anew. */
  readonly ends_at: string;
};

/** Something was paid, or is to be: GET /invoices/{id}/ says which. */
export type InvoiceIssued = {
  readonly invoice_id: string;
  /** `INV-2026-000001` */
  readonly number: string;
  readonly total_minor: string;
  readonly currency: string;
};

/** Nothing is to be paid for it any more, and a credit note takes it back. */
export type InvoiceVoided = {
  readonly invoice_id: string;
  /** `INV-2026-000001` */
  readonly number: string;
  readonly total_minor: string;
  readonly currency: string;
  readonly credit_note_id: string;
  /** `CN-2026-000001` */
  readonly credit_note_number: string;
};

/** What stands on later invoices, and where they are taxed. */
export type BillingDetailsChanged = {
  /** `company_name`, `address_lines`, `vat_id`, `country` and `email`, of which at least one. */
  readonly changed_fields: readonly string[];
};

/** From now on billing goes by a clock of the organisation's own. */
export type TestClockCreated = {
  readonly test_clock_id: string;
  readonly name: string;
};

/** Somebody has moved it forward: what is due until then happens now. */
export type TestClockAdvanced = {
  readonly test_clock_id: string;
  /** What time it was by the clock. */
  readonly from: string;
  /** What time it becomes. */
  readonly to: string;
};

/** All has happened that was due until then. */
export type TestClockReady = {
  readonly test_clock_id: string;
  /** What time it is by the clock. */
  readonly at: string;
};

/** Billing goes by the real time again. */
export type TestClockDeleted = {
  readonly test_clock_id: string;
};

/** Credits were taken away as a correction by hand. */
export type CreditsAdjusted = {
  /** Less than nothing. */
  readonly amount_micros: string;
  readonly available_micros: string;
  /** Why, in the words of who did it. */
  readonly reason: string;
};

/** Money is being given back. */
export type RefundCreated = {
  readonly refund_id: string;
  /** Null: it was paid, and nothing was given for it. */
  readonly invoice_id: string | null;
  readonly amount_minor: string;
  readonly currency: string;
  /** `REQUESTED_BY_CUSTOMER`, `DUPLICATE` or `GOODWILL`. */
  readonly reason: string;
};

/** It was given back. */
export type RefundSucceeded = {
  readonly refund_id: string;
  /** Null: it was paid, and nothing was given for it. */
  readonly invoice_id: string | null;
  readonly amount_minor: string;
  readonly currency: string;
  /** Null where there is no invoice. */
  readonly credit_note_id: string | null;
  /** `CN-2026-000001` */
  readonly credit_note_number: string | null;
};

/** Nothing was given back, and what was taken for it is there again. */
export type RefundFailed = {
  readonly refund_id: string;
  /** Null: it was paid, and nothing was given for it. */
  readonly invoice_id: string | null;
  readonly amount_minor: string;
  readonly currency: string;
  /** Why nothing was given back. */
  readonly code: string;
  /** Of one that had succeeded before: its credit note is void. */
  readonly credit_note_id: string | null;
};

/** Somebody has disputed a payment at their bank, which took the money. */
export type DisputeOpened = {
  readonly dispute_id: string;
  readonly invoice_id: string | null;
  readonly amount_minor: string;
  readonly currency: string;
  /** As the processor says: `fraudulent`, ... */
  readonly reason: string;
};

/** The bank has decided. */
export type DisputeClosed = {
  readonly dispute_id: string;
  readonly invoice_id: string | null;
  readonly amount_minor: string;
  readonly currency: string;
  /** `WON`: the payment stands. `LOST`: the money is gone. */
  readonly outcome: string;
};

/** A meter counts the organisation's own events from now on. */
export type MeterCreated = {
  readonly meter_id: string;
  readonly slug: string;
  /** The type of the events that it counts. */
  readonly event_type: string;
  /** `SUM`, `COUNT`, `MAX`, `UNIQUE_COUNT` or `LATEST`. */
  readonly aggregation: string;
};

/** It is called something else. */
export type MeterUpdated = {
  readonly meter_id: string;
  readonly changed_fields: readonly string[];
};

/** It counts no more. */
export type MeterArchived = {
  readonly meter_id: string;
  readonly slug: string;
};

/** The balance has fallen to a threshold of a balance alert or below: told once, until it has risen above it. */
export type CreditsBalanceLow = {
  readonly alert_id: string;
  readonly threshold_micros: string;
  /** What is available or set aside, when this was told. */
  readonly balance_micros: string;
};

/** Somebody has created, changed or deleted an alert. */
export type BalanceAlertChanged = {
  readonly alert_id: string;
  /** `created`, `updated` or `deleted`. */
  readonly change: string;
  readonly threshold_micros: string;
};

/** Automatic top-up was set or turned off, has stopped, waits for another month, or goes on. */
export type AutomaticTopUpChanged = {
  /** `OFF`, `ACTIVE`, `CAP_REACHED` or `STOPPED`. */
  readonly state: string;
  /** Why it has stopped: `card_declined`, `authentication_required`, ...; null unless it has. */
  readonly code: string | null;
  /** Null unless the state is CAP_REACHED. */
  readonly resumes_at: string | null;
};

/** Credits are being bought, as the balance is low: the purchase says how it ends. */
export type TopUpStarted = {
  readonly purchase_id: string;
  readonly credits: number;
  readonly total_minor: string;
  readonly currency: string;
};

/** They are bought. */
export type TopUpSucceeded = {
  readonly purchase_id: string;
  readonly credits: number;
  readonly total_minor: string;
  readonly currency: string;
};

/** They were not paid. */
export type TopUpFailed = {
  readonly purchase_id: string;
  readonly credits: number;
  readonly total_minor: string;
  readonly currency: string;
  /** Why: `card_declined`, `insufficient_funds`, `authentication_required`, ... */
  readonly code: string;
};

/** A subscription renews in seven days, told once for each period. */
export type SubscriptionRenewalUpcoming = {
  readonly subscription_id: string;
  /** When the next cycle is charged. */
  readonly renews_at: string;
  /** What it comes to with tax as things stand, in minor units of the currency. */
  readonly total_minor: string;
  readonly currency: string;
  /** `BASIC` or `TEAM`. */
  readonly tier: string;
  readonly seat_count: number;
};

/** A trial ends in three days, or sooner where it is shorter: told once, and again where operators have extended it. */
export type SubscriptionTrialEnding = {
  readonly subscription_id: string;
  /** When the first cycle begins that is paid for. */
  readonly trial_ends_at: string;
  /** What the first cycle comes to with tax as things stand, in minor units of the currency. */
  readonly total_minor: string;
  readonly currency: string;
  /** The plan that is tried. */
  readonly tier: string;
  readonly seat_count: number;
  /** What its end does where no payment method is set up: `CANCEL` or `CREATE_INVOICE`. */
  readonly missing_payment_method: string;
};

/** Which mails an organisation gets was changed. */
export type BillingMailsPreferencesChanged = {
  /** Those that are not sent: `BALANCE_LOW`, `INVOICE_ISSUED`, ... */
  readonly disabled: readonly string[];
};

/** An organisation has redeemed a promotion code. */
export type CouponRedeemed = {
  readonly redemption_id: string;
  /** The promotion code. */
  readonly code: string;
  /** Percent of the price; null: an amount is taken off. */
  readonly percent_off: number | null;
  /** In minor units of the currency. */
  readonly amount_off_minor: string | null;
  readonly currency: string | null;
  /** `ONCE`, `REPEATING` or `FOREVER`. */
  readonly duration: string;
  /** From then on a cycle costs its full price; null: no such time. */
  readonly ends_at: string | null;
};

/** One for each change, with what members may know of it: an entry of the audit log. */
export type AuditRecorded = {
  /** Of the entry in the audit log. */
  readonly audit_entry_id: string;
  /** `user`, `api_key` or `service`. */
  readonly actor_type: string;
  /** The user, the API key or the service. */
  readonly actor_id: string;
  /** As it was at the time. Empty for a key where it is not known; the audit log knows it. */
  readonly actor_name: string;
  /** The name of the event: `client_group.updated`. */
  readonly action: string;
  /** What was changed: `client_group`. */
  readonly target_type: string;
  /** Which of them. */
  readonly target_id: string;
  /** The user for whom a key has acted; null for users and services. */
  readonly on_behalf_of_user_id: string | null;
  /** As it was at the time. */
  readonly on_behalf_of_user_name: string | null;
  /** The changed fields before and after; null where there was or is nothing. Long lists and texts are cut. */
  readonly before: Readonly<Record<string, unknown>> | null;
  /** As `before`. */
  readonly after: Readonly<Record<string, unknown>> | null;
  /** The request that led to it, as in `X-Request-Id`. */
  readonly request_id: string;
  /** When it was changed: RFC 3339, UTC, milliseconds. */
  readonly at: string;
};

/**
 * Work has cost credits. It is written in the transaction that ends the work, so that the one is never there without the
 * other, and billing books it once by its id, however late and however often it comes: also when the reservation has
 * expired, was given back or never was. The balance may go below zero by it.
 */
export type DebitCreated = {
  /** The same for the same work, whoever writes it down: two replicas that both end a piece of work debit it once. */
  readonly debit_id: string;
  /** What was set aside for it; while that is still open, it is settled by this debit and the rest is given back. */
  readonly reservation_id: string | null;
  /** A whole number as text, at least 1: 1 credit = 1,000,000 micros. */
  readonly amount_micros: string;
  /** `AI` or `INFRASTRUCTURE`: which limit of the group's policy it counts against. */
  readonly credit_class: string;
  /** As of its reservation, shown in the ledger: `assistant_message`, `kernel_minute`. */
  readonly purpose: string;
  /** What was done: the message, the kernel, the run. */
  readonly work_id: string;
  /** Whose policy and usage it counts against. Null: those of its reservation, or else the default group. */
  readonly client_group_id: string | null;
  readonly api_key_id: string | null;
  /** The user for whom it was done. Null: nobody in particular. */
  readonly member_id: string | null;
  /** When the work was done, on whose day it is counted: RFC 3339, UTC, milliseconds. */
  readonly occurred_at: string;
};
