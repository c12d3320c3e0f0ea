import type { ServiceKeys } from '@platform-backend/auth';
import {
  billingContract,
  type ReserveCreditsRequest,
  type SettleCreditsRequest,
} from '@platform-backend/contract-billing';
import { paymentRequired } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import { standIn } from '@platform-backend/service/testing';

export type CreditLedger = Awaited<ReturnType<typeof creditLedger>>;

/** Stands in for billing, whose own tests are about its books: it remembers what it was asked for. */
export async function creditLedger(keys: ServiceKeys) {
  const reserved: (ReserveCreditsRequest & { organisationId: string })[] = [];
  const settled: SettleCreditsRequest[] = [];
  const released: string[] = [];
  const empty = new Set<string>();
  const CreditService = {
    reserveCredits(request: ReserveCreditsRequest, context: CallContext) {
      const organisationId = context.organisationId();
      if (empty.has(organisationId)) throw paymentRequired();
      reserved.push({ ...request, organisationId });
      return {};
    },
    settleCredits(request: SettleCreditsRequest) {
      settled.push(request);
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
    settled,
    released,
    /** Of this organisation. */
    reservedBy: (organisationId: string) => reserved.filter((one) => one.organisationId === organisationId),
    /** It has no credits any more. */
    useUp: (organisationId: string) => void empty.add(organisationId),
  };
}
