import type { ActorContext } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import type { ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import type { UnpaidRenewal } from './pay-unpaid.ts';
import type { SubscriptionChange } from './subscription-change.ts';
import type { Subscription } from './subscription.ts';

/** A change that waits for somebody to go on with it. */
export interface OpenChange {
  readonly organisationId: string;
  readonly changeId: string;
}

/**
 * Decides under the lock of the organisation's subscription. `versionBefore` is the greatest version that identity
 * may have heard of, `unpaid` the renewal that was refused and can still be paid. Null: nothing shall change.
 */
export type BeginChange = (
  current: Subscription | null,
  versionBefore: bigint,
  unpaid: UnpaidRenewal | null,
) => SubscriptionChange | null;

/** Where subscriptions are kept, each with the changes it went through. */
export interface Subscriptions {
  /** Null: the organisation has never bought anything. */
  get(organisationId: string): Promise<Subscription | null>;
  /** Null: none with this id. */
  change(organisationId: string, id: string): Promise<SubscriptionChange | null>;
  /** The invoice of a renewal that was refused; null: there is none. */
  openInvoice(renewal: OpenChange): Promise<string | null>;
  /** Has a renewal that was refused tried again now. */
  tryNow(organisationId: string, at: Date): Promise<void>;
  /** Whether a change is on its way. */
  isChanging(organisationId: string): Promise<boolean>;
  /** Writes a change down before its first step. CONFLICT: another one of the organisation is not done yet. */
  begin(by: ActorContext, decide: BeginChange): Promise<SubscriptionChange | null>;
  /** As `begin`, but null where somebody else is at work on the organisation's subscription. */
  beginUnlessBusy(by: ActorContext, decide: BeginChange): Promise<SubscriptionChange | null>;
  /** Writes down that a step was done, whoever did it: a step that was done already stays as it was first done. */
  advance(change: SubscriptionChange): Promise<SubscriptionChange>;
  /**
   * Ends a change: subscription, invoice, events and the change itself are written together, once. Answers the change as it stands:
   * others may have ended it, or gone on with what was to end at its check.
   */
  finish(change: SubscriptionChange, at: Date): Promise<SubscriptionChange>;
  /** Organisations whose subscriptions the schedule has to look at: those after one of them, and then the others. */
  due(at: Date, scope: ScheduleScope, limit: number, after: string): Promise<readonly string[]>;
  /** Changes that nobody works on any more. */
  abandoned(at: Date, scope: ScheduleScope, limit: number): Promise<readonly OpenChange[]>;
  /** Organisations whose next renewal, or the end of whose trial, is near, and that were not told so yet, as of `due`. */
  renewingSoon(at: Date, scope: ScheduleScope, limit: number, after: string): Promise<readonly string[]>;
  /**
   * Tells once of the next renewal, with the event that `tell` makes of it; false: it was told, or there is none any more that is
   * near.
   */
  tellRenewal(
    by: ActorContext,
    at: Date,
    tell: (current: Subscription, renewsAt: Date) => BillingEvent,
  ): Promise<boolean>;
  /** Organisations for which a cycle has begun with which credits come, as of `due`. */
  planCreditsDue(at: Date, scope: ScheduleScope, limit: number, after: string): Promise<readonly string[]>;
  /** Gives the credits of a cycle that has begun, once; false: none has. */
  givePlanCredits(by: ActorContext, at: Date): Promise<boolean>;
  /** When the first of what is due at a moment is: a renewal, credits, a change that is left behind. What is told days ahead is not. */
  readonly firstDueAt: (scope: ScheduleScope) => Promise<Date | null>;
  /** When the schedule has to look at something of an organisation next; null: at nothing. */
  nextDueAt(organisationId: string): Promise<Date | null>;
  /** Takes over an abandoned change; null when somebody else was faster, or it is done. */
  takeOver(open: OpenChange, at: Date, leaseUntil: Date): Promise<SubscriptionChange | null>;
  /** Gives a change back before its lease ends, to be gone on with at `retryAt`. */
  giveBack(change: SubscriptionChange, retryAt: Date): Promise<void>;
}
