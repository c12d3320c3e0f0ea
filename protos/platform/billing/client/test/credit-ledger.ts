import type { ServiceKeys } from '@platform-backend/auth';
import { paymentRequired } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { publishedEvents, standIn } from '@platform-backend/service/testing';
import type { DebitCreated } from '../../generated/events.ts';
import { billingContract, type ReserveCreditsRequest } from '../../generated/index.ts';

export type CreditLedger = Awaited<ReturnType<typeof creditLedger>>;

type Database = Parameters<typeof publishedEvents>[0];

/** What billing will hear of work that has cost something, in the order in which it was written down. */
export async function debitsOf(
  { database }: { readonly database: Database },
  organisationId: string,
): Promise<readonly DebitCreated[]> {
  const events = await publishedEvents(database);
  return events
    .filter(({ type, organisationid }) => type.endsWith('.debit.created') && organisationid === organisationId)
    .map(({ data }) => data as unknown as DebitCreated);
}

type Reserved = ReserveCreditsRequest & { readonly organisationId: string };

/**
 * Stands in for billing in the tests of services that spend; its own tests are about its books. Everybody has credits until they are
 * used up, and it remembers what it was asked for.
 */
export async function creditLedger(keys: ServiceKeys) {
  const reserved = new Map<string, Reserved>();
  const released = new Set<string>();
  const empty = new Set<string>();
  const CreditService = {
    reserveCredits(request: ReserveCreditsRequest, context: CallContext) {
      const organisationId = context.organisationId();
      if (empty.has(organisationId)) throw paymentRequired();
      reserved.set(request.reservationId, { ...request, organisationId });
      return {};
    },
    releaseCredits({ reservationId }: { readonly reservationId: string }) {
      released.add(reservationId);
      return {};
    },
    extendReservations: () => ({}),
  };
  const { address, close } = await standIn(billingContract, { CreditService }, keys);
  let closed: Promise<void> | undefined;
  const reservedBy = (organisationId: string, purpose?: string) =>
    [...reserved.values()].filter(
      (one) => one.organisationId === organisationId && (purpose === undefined || one.purpose === purpose),
    );
  return {
    address,
    /** Also when it is away already. */
    close: () => (closed ??= close()),
    /** By their ids. */
    reserved: reserved as ReadonlyMap<string, Reserved>,
    /** Ids of reservations. */
    released: released as ReadonlySet<string>,
    /** All that this organisation ever had set aside, for this purpose or any. */
    reservedBy,
    /** What of it was not given back. */
    heldBy: (organisationId: string) =>
      reservedBy(organisationId).filter(({ reservationId }) => !released.has(reservationId)),
    /** It has no credits any more. */
    useUp: (organisationId: string) => void empty.add(organisationId),
    fillUp: (organisationId: string) => void empty.delete(organisationId),
  };
}
