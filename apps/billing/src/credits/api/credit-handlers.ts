import type { CreditServiceHandlers } from '@platform-backend/contract-billing';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import { createdWithin } from '../../created-within.ts';
import type { CreditUseCases } from '../app/credits.ts';
import { balanceMessage, grantMessage, reservationMessage, transactionMessage } from './credit-messages.ts';

/** What CreditService has of purchases belongs to their area. */
type OfPurchases =
  | 'previewPrice'
  | 'previewCreditPurchase'
  | 'purchaseCredits'
  | 'listCreditPurchases'
  | 'getCreditPurchase'
  | 'cancelCreditPurchase';

export const creditHandlers = (app: CreditUseCases): Omit<CreditServiceHandlers<CallContext>, OfPurchases> => ({
  async getCreditBalance(_request, context) {
    return balanceMessage(await app.getCreditBalance(context.actorContext()));
  },

  async listCreditTransactions(request, context) {
    const filter = { kinds: request.kind, ...createdWithin(request) };
    const page = await app.listCreditTransactions(context.organisationId(), filter, request);
    return listAnswer('transactions', page, transactionMessage);
  },

  async listCreditGrants(request, context) {
    const page = await app.listCreditGrants(context.organisationId(), request);
    return listAnswer('grants', page, grantMessage);
  },

  async reserveCredits(request, context) {
    const { service, clientGroupId = null, apiKeyId = null } = context.caller;
    const reservation = await app.reserveCredits(context.actorContext(), {
      id: request.reservationId,
      amount: BigInt(request.amountMicros),
      purpose: request.purpose,
      creditClass: request.creditClass ?? 'AI',
      clientGroupId: request.clientGroupId ?? clientGroupId,
      apiKeyId: request.apiKeyId ?? apiKeyId,
      service,
      lifetimeSeconds: request.lifetimeSeconds,
    });
    return reservationMessage(reservation);
  },

  async settleCredits({ reservationId, amountMicros }, context) {
    return reservationMessage(await app.settleCredits(context.actorContext(), reservationId, BigInt(amountMicros)));
  },

  async releaseCredits({ reservationId }, context) {
    return reservationMessage(await app.releaseCredits(context.actorContext(), reservationId));
  },

  async extendReservations({ reservationIds, lifetimeSeconds }, context) {
    const reservations = await app.extendReservations(context.organisationId(), reservationIds, lifetimeSeconds);
    return { reservations: reservations.map(reservationMessage) };
  },
});
