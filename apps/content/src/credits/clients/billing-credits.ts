import type { CreditServiceClient } from '@platform-backend/contract-billing';
import type { CallOptions, Closable } from '@platform-backend/grpc';
import type { Credits } from '../domain/credits.ts';

export type CreditsClient = CreditServiceClient<CallOptions> & Closable;

/** Credits of a process that died are back after this and billing's sweep. */
const lifetimeSeconds = 50;

/** Often enough that one that gets lost does no harm. */
const heartbeatMs = 20_000;

/** Whoever has asked waits for it. */
const timeoutMs = 5_000;

/** Billing over gRPC, called on content's own authority for the organisation. */
export const billingCredits = (
  client: Pick<
    CreditServiceClient<CallOptions>,
    'reserveCredits' | 'settleCredits' | 'releaseCredits' | 'extendReservations'
  >,
): Credits => ({
  async reserve(payer, { operationId: reservationId, micros, purpose }) {
    const { organisationId, requestId, actor, clientGroupId } = payer;
    const options = { caller: { organisationId }, requestId, timeoutMs };
    await client.reserveCredits(
      {
        reservationId,
        amountMicros: micros.toString(),
        purpose,
        lifetimeSeconds,
        creditClass: 'AI',
        ...(clientGroupId !== undefined && { clientGroupId }),
        ...(actor.type === 'api_key' && { apiKeyId: actor.id }),
      },
      options,
    );
    const heartbeat = setInterval(() => {
      // The next one may get through; where none does, settling tells.
      client.extendReservations({ reservationIds: [reservationId], lifetimeSeconds }, options).catch(() => undefined);
    }, heartbeatMs).unref();
    const finish = (end: () => Promise<unknown>) => async (): Promise<void> => {
      clearInterval(heartbeat);
      await end();
    };
    return {
      settle: (taken) =>
        finish(() => client.settleCredits({ reservationId, amountMicros: taken.toString() }, options))(),
      release: finish(() => client.releaseCredits({ reservationId }, options)),
    };
  },
});
