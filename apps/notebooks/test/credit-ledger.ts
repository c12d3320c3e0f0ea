import type { ServiceKeys } from '@platform-backend/auth';
import { billingContract, type ReserveCreditsRequest } from '@platform-backend/contract-billing';
import type { DebitCreated } from '@platform-backend/contract-notebooks/events';
import { paymentRequired } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { publishedEvents, standIn } from '@platform-backend/service/testing';
import type { ThrowawayPostgres } from '@platform-backend/testing';

export type CreditLedger = Awaited<ReturnType<typeof creditLedger>>;

/** What billing will hear of work that has cost something, in the order in which it was written down. */
export async function debitsOf(
  { database }: { readonly database: ThrowawayPostgres },
  organisationId: string,
): Promise<readonly DebitCreated[]> {
  const events = await publishedEvents(database);
  return events
    .filter(({ type, organisationid }) => type.endsWith('.debit.created') && organisationid === organisationId)
    .map(({ data }) => data as unknown as DebitCreated);
}

/** Stands in for billing: it remembers the minutes that were reserved. */
export async function creditLedger(keys: ServiceKeys) {
  const reserved: (ReserveCreditsRequest & { organisationId: string })[] = [];
  const released: string[] = [];
  const empty = new Set<string>();
  const CreditService = {
    reserveCredits(request: ReserveCreditsRequest, context: CallContext) {
      const organisationId = context.organisationId();
      if (empty.has(organisationId)) throw paymentRequired();
      reserved.push({ ...request, organisationId });
      return {};
    },
    releaseCredits({ reservationId }: { readonly reservationId: string }) {
      released.push(reservationId);
      return {};
    },
  };
  const { address, close } = await standIn(billingContract, { CreditService }, keys);
  return {
    address,
    close,
    /** By this organisation, and not given back. */
    reservedBy: (organisationId: string) =>
      reserved.filter((one) => one.organisationId === organisationId && !released.includes(one.reservationId)),
    /** It has no credits any more. */
    useUp: (organisationId: string) => void empty.add(organisationId),
  };
}
