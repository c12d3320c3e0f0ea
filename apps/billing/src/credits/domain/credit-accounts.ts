import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import type { ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import type { CreditHoldings } from './credit-account.ts';
import type { CreditGrant } from './credit-grant.ts';
import type { CreditTransaction, CreditTransactionFilter } from './ledger.ts';
import type { CreditReservation, NewReservation } from './reservation.ts';

/** What became of an attempt to reserve. */
export type ReserveOutcome =
  | { readonly kind: 'reserved'; readonly reservation: CreditReservation }
  /** The id is known already. */
  | { readonly kind: 'known'; readonly reservation: CreditReservation }
  /** `told`: members have been told that the credits ran out. */
  | { readonly kind: 'too_few'; readonly told: boolean }
  | { readonly kind: 'over_group_limit' }
  /** Too long ago that the policy of its client group was heard of, or never. */
  | { readonly kind: 'policy_due' }
  /** Grants have to be expired first. */
  | { readonly kind: 'expiry_due' }
  /** It has to be opened first. */
  | { readonly kind: 'no_account' }
  /** The account has changed since; trying again will tell. */
  | { readonly kind: 'changed' };

/** What became of an attempt to settle or release: nothing, when it was not open, or not that large. */
export type FinishOutcome =
  | { readonly kind: 'finished'; readonly reservation: CreditReservation }
  | { readonly kind: 'unfinished'; readonly reservation: CreditReservation | null };

export interface OverdueReservation {
  readonly organisationId: string;
  readonly id: string;
}

/** When a policy of a client group must have been heard of, and by what time its limits go. */
export interface PolicyTimes {
  readonly heardAfter: Date | null;
  readonly at: Date;
}

/** What a grant makes of the locked account; synchronous. */
export type DecideGrant = (holdings: CreditHoldings) => Decision<CreditHoldings, BillingEvent, CreditGrant>;

/** A grant, once for its source. */
export interface SourcedGrant {
  readonly source: string;
  readonly decide: DecideGrant;
}

/**
 * Where credits are kept. Every change commits together with its ledger transactions and events, or not at all.
 * Reserving, settling and releasing are one conditional statement each, so that they need not wait for a decision
 * made outside the database while an account is locked.
 */
export interface CreditAccounts {
  /**
   * What names no client group counts for the default one. Limits of a group go by `policy.at`; `policy.heardAfter` says how
   * lately they must have been heard of; null: whatever is known of them holds, and where nothing is there is no limit.
   */
  reserve(by: ActorContext, wanted: NewReservation, at: Date, policy: PolicyTimes): Promise<ReserveOutcome>;
  settle(by: ActorContext, reservationId: string, amount: bigint, at: Date): Promise<FinishOutcome>;
  release(by: ActorContext, reservationId: string, at: Date): Promise<FinishOutcome>;
  /** Releases those of the reservations that are open and overdue; answers how many. */
  releaseOverdue(by: ActorContext, reservationIds: readonly string[], at: Date): Promise<number>;
  /** Releases all that are open, such as when the organisation is no more; answers how many. */
  releaseAll(by: ActorContext, at: Date): Promise<number>;
  /** Gives open reservations until then, never less than they have. Answers those that are open. */
  extend(organisationId: string, reservationIds: readonly string[], until: Date): Promise<readonly CreditReservation[]>;

  /** Adds a grant unless there is one of its source; opens the account when there is none. */
  grant(by: ActorContext, source: string, at: Date, decide: DecideGrant): Promise<CreditGrant>;
  /** Opens the account with what everybody gets, where that was not given yet. */
  open(by: ActorContext, at: Date, welcome: SourcedGrant | undefined): Promise<void>;
  /** `decide` sees the locked account and is synchronous. Opens the account when there is none. */
  update(
    by: ActorContext,
    at: Date,
    decide: (holdings: CreditHoldings) => Decision<CreditHoldings, BillingEvent>,
  ): Promise<CreditHoldings>;

  /** As `update`, once for each source: what was done for it before is answered as it is by now. */
  adjust(
    by: ActorContext,
    source: string,
    at: Date,
    decide: (holdings: CreditHoldings) => Decision<CreditHoldings, BillingEvent>,
  ): Promise<CreditHoldings>;

  /** An account that was never used is empty. */
  get(organisationId: string): Promise<CreditHoldings>;
  listTransactions(
    organisationId: string,
    filter: CreditTransactionFilter,
    page: PageRequest,
  ): Promise<Page<CreditTransaction>>;
  listGrants(organisationId: string, page: PageRequest): Promise<Page<CreditGrant>>;

  /** Open reservations of any organisation whose time is over, the oldest first. */
  overdueReservations(at: Date, scope: ScheduleScope, limit: number): Promise<readonly OverdueReservation[]>;
  /** How many reservations of all organisations are open, and since when the oldest of them should have been given back, if any should. */
  openReservations(): Promise<{ readonly open: number; readonly oldestExpiry: Date | null }>;
  /** Organisations with a grant whose time is over. */
  accountsToExpire(at: Date, scope: ScheduleScope, limit: number): Promise<readonly string[]>;
}
