import type { CreditServiceClient } from '@platform-backend/contract-billing';
import { DomainError } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import type { Credits } from '../domain/credits.ts';

/** Credits whose run nobody looks after any more are back after this and billing's sweep. */
const lifetimeSeconds = 50;

/** Whoever has asked waits for it. */
const timeoutMs = 5_000;

/** Billing over gRPC, called on pipelines' own authority for the organisation. */
export const billingCredits = (
  client: Pick<
    CreditServiceClient<CallOptions>,
    'reserveCredits' | 'settleCredits' | 'releaseCredits' | 'extendReservations'
  >,
): Credits => ({
  async reserve(payer, reservationId, micros) {
    const { organisationId, requestId, actor, clientGroupId } = payer;
    await client.reserveCredits(
      {
        reservationId,
        amountMicros: micros.toString(),
        purpose: 'pipeline_run',
        lifetimeSeconds,
        creditClass: 'INFRASTRUCTURE',
        ...(clientGroupId !== undefined && { clientGroupId }),
        ...(actor.type === 'api_key' && { apiKeyId: actor.id }),
      },
      { caller: { organisationId }, requestId, timeoutMs },
    );
  },

  async prolong(organisationId, reservationIds) {
    const request = { reservationIds: [...reservationIds], lifetimeSeconds };
    const { reservations } = await client.extendReservations(request, { caller: { organisationId }, timeoutMs });
    return new Set(reservations.map(({ reservationId }) => reservationId));
  },

  async settle(organisationId, reservationId, micros) {
    const options = { caller: { organisationId }, timeoutMs };
    try {
      if (micros === 0n) await client.releaseCredits({ reservationId }, options);
      else await client.settleCredits({ reservationId, amountMicros: micros.toString() }, options);
      return true;
    } catch (error) {
      if (error instanceof DomainError && (error.kind === 'not_found' || error.kind === 'conflict')) return false;
      throw error;
    }
  },
});
