import type { CreditServiceClient } from '@platform-backend/contract-billing';
import { spending } from '@platform-backend/contract-billing/client/credits';
import { idOf } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import type { Credits, KernelMinute } from '../domain/credits.ts';

/** Billing over gRPC, called on notebooks' own authority for the organisation. Free minutes cost no call. */
export function billingCredits(client: CreditServiceClient<CallOptions>, minuteMicros: bigint): Credits {
  const spends = spending(client, { creditClass: 'INFRASTRUCTURE', purpose: 'kernel_minute' });
  const spent = ({ kernelId, minute, at }: KernelMinute) => ({
    debitId: idOf(['kernel minute', kernelId, String(minute)]),
    workId: kernelId,
    micros: minuteMicros,
    at,
  });
  return {
    async reserveMinute(payer) {
      if (minuteMicros === 0n) return undefined;
      const reservation = await spends.reserve(payer, minuteMicros);
      return { debit: (minute) => reservation.debit(spent(minute)), release: reservation.release };
    },
    debitMinute: (payer, minute) => (minuteMicros === 0n ? undefined : spends.debit(payer, null, spent(minute))),
  };
}
