import type { CreditServiceClient } from '@platform-backend/contract-billing';
import { idOf } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import type { Credits } from '../domain/credits.ts';

/**
 * As long as billing allows: a kernel that takes longer to start has its first minute for nothing. Credits of a process that
 * died are back after this and billing's sweep.
 */
const lifetimeSeconds = 50;
const timeoutMs = 5_000;

/** Billing over gRPC, called on notebooks' own authority for the organisation. Free minutes cost no call. */
export const billingCredits = (
  client: Pick<CreditServiceClient<CallOptions>, 'reserveCredits' | 'settleCredits' | 'releaseCredits'>,
  minuteMicros: bigint,
): Credits => ({
  async reserveMinute(payer, kernelId, minute) {
    if (minuteMicros === 0n) return free;
    const reservationId = idOf(['kernel minute', kernelId, String(minute)]);
    const amountMicros = minuteMicros.toString();
    const { organisationId, requestId, clientGroupId, apiKeyId } = payer;
    const options = { caller: { organisationId }, requestId, timeoutMs };
    await client.reserveCredits(
      {
        reservationId,
        amountMicros,
        purpose: 'kernel_minute',
        lifetimeSeconds,
        creditClass: 'INFRASTRUCTURE',
        ...(clientGroupId !== null && { clientGroupId }),
        ...(apiKeyId !== null && { apiKeyId }),
      },
      options,
    );
    return {
      settle: async () => {
        await client.settleCredits({ reservationId, amountMicros }, options);
      },
      release: async () => {
        await client.releaseCredits({ reservationId }, options);
      },
    };
  },
});

const nothing = () => Promise.resolve();
const free = { settle: nothing, release: nothing };
