import type { ActorContext, Clock, Page, PageRequest } from '@platform-backend/core';
import { nextLoss } from '../domain/credit-account.ts';
import type { CreditAccounts } from '../domain/credit-accounts.ts';
import type { CreditGrant } from '../domain/credit-grant.ts';
import type { CreditTransaction, CreditTransactionFilter } from '../domain/ledger.ts';
import { releasedAlready, settledAlready, type CreditReservation } from '../domain/reservation.ts';
import { reserveCredits, type ReservePorts, type ReservationInput } from './reserve-credits.ts';
import { expireDueCredits } from './sweep-credits.ts';
import { grantWelcomeCredits, type WelcomePorts } from './welcome-credits.ts';

export interface CreditBalance {
  readonly available: bigint;
  readonly reserved: bigint;
  /** What is lost at that moment unless it is spent before; null: nothing. */
  readonly nextLoss: { readonly at: Date; readonly amount: bigint } | null;
}

/** What can be done with credits, apart from buying them. */
export const creditUseCases = (ports: ReservePorts) => ({
  getCreditBalance: (by: ActorContext) => getCreditBalance(ports, by),

  /** The ledger of an organisation, newest first. */
  listCreditTransactions: (
    organisationId: string,
    filter: CreditTransactionFilter,
    page: PageRequest,
  ): Promise<Page<CreditTransaction>> => ports.credits.listTransactions(organisationId, filter, page),

  /** Credits received, newest first, with what is left of each. */
  listCreditGrants: (organisationId: string, page: PageRequest): Promise<Page<CreditGrant>> =>
    ports.credits.listGrants(organisationId, page),

  reserveCredits: (by: ActorContext, wanted: ReservationInput) => reserveCredits(ports, by, wanted),
  ...finishingUseCases(ports),
});

export type CreditUseCases = ReturnType<typeof creditUseCases>;

/** What can be done with a reservation; all of it can be repeated. */
const finishingUseCases = ({ credits, clock }: { readonly credits: CreditAccounts; readonly clock: Clock }) => ({
  /** Takes what the work has cost and gives back the rest of its reservation. */
  async settleCredits(by: ActorContext, reservationId: string, amount: bigint): Promise<CreditReservation> {
    const outcome = await credits.settle(by, reservationId, amount, clock.now());
    return outcome.kind === 'finished' ? outcome.reservation : settledAlready(outcome.reservation, amount);
  },

  /** Gives back all that was reserved. */
  async releaseCredits(by: ActorContext, reservationId: string): Promise<CreditReservation> {
    const outcome = await credits.release(by, reservationId, clock.now());
    return outcome.kind === 'finished' ? outcome.reservation : releasedAlready(outcome.reservation);
  },

  /** The heartbeat of work that is still running: its reservations live for another lifetime. Answers the open ones. */
  extendReservations: (
    organisationId: string,
    ids: readonly string[],
    lifetimeSeconds: number,
  ): Promise<readonly CreditReservation[]> =>
    credits.extend(organisationId, ids, new Date(clock.now().getTime() + lifetimeSeconds * 1000)),
});

/** What an organisation can spend now. What has expired is never shown, whether it was swept already or not. */
async function getCreditBalance(ports: WelcomePorts, by: ActorContext): Promise<CreditBalance> {
  const { credits, clock } = ports;
  let holdings = await credits.get(by.organisationId);
  if (!holdings.opened) {
    await grantWelcomeCredits(ports, by);
    holdings = await credits.get(by.organisationId);
  }
  const { nextExpiryAt } = holdings.account;
  if (nextExpiryAt !== null && nextExpiryAt <= clock.now()) holdings = await expireDueCredits(ports, by);
  const { available, reserved } = holdings.account;
  return { available, reserved, nextLoss: nextLoss(holdings, clock.now()) };
}
