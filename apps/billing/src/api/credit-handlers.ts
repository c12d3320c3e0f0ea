import type { CreditServiceHandlers, ListCreditTransactionsRequest } from '@platform/contract/billing';
import type { CallContext } from '@platform/grpc';
import type { BillingApp } from '../app/billing-app.ts';
import type { CreditTransactionFilter } from '../domain/credits/ledger.ts';
import { actingOf } from './acting.ts';
import {
  balanceMessage,
  grantMessage,
  priceMessage,
  purchaseMessage,
  reservationMessage,
  transactionMessage,
} from './credit-messages.ts';

export const creditHandlers = (app: BillingApp): CreditServiceHandlers<CallContext> => ({
  async previewPrice({ credits, currency, country }, context) {
    return priceMessage(await app.previewPrice(context.organisationId(), { credits, currency, country }));
  },

  async getCreditBalance(_request, context) {
    return balanceMessage(await app.getCreditBalance(actingOf(context)));
  },

  async listCreditTransactions(request, context) {
    const filter = filterOf(request);
    const page = await app.listCreditTransactions(context.organisationId(), filter, request);
    return {
      transactions: page.items.map(transactionMessage),
      nextCursor: page.nextCursor,
      totalCount: page.total,
    };
  },

  async listCreditGrants(request, context) {
    const page = await app.listCreditGrants(context.organisationId(), request);
    return { grants: page.items.map(grantMessage), nextCursor: page.nextCursor, totalCount: page.total };
  },

  async purchaseCredits({ credits, currency, country, paymentMethodId }, context) {
    const purchase = await app.purchaseCredits(actingOf(context), {
      credits,
      currency,
      country,
      paymentMethodId,
    });
    return purchaseMessage(purchase);
  },

  async listCreditPurchases(request, context) {
    const filter = { statuses: request.status, ...createdWithin(request) };
    const page = await app.listCreditPurchases(context.organisationId(), filter, request);
    return { purchases: page.items.map(purchaseMessage), nextCursor: page.nextCursor, totalCount: page.total };
  },

  async getCreditPurchase({ purchaseId }, context) {
    return purchaseMessage(await app.getCreditPurchase(context.organisationId(), purchaseId));
  },

  async reserveCredits(request, context) {
    const { service, usageGroupId: clientGroupId = null, apiKeyId = null } = context.caller;
    const reservation = await app.reserveCredits(actingOf(context), {
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
    return reservationMessage(await app.settleCredits(actingOf(context), reservationId, BigInt(amountMicros)));
  },

  async releaseCredits({ reservationId }, context) {
    return reservationMessage(await app.releaseCredits(actingOf(context), reservationId));
  },

  async extendReservations({ reservationIds, lifetimeSeconds }, context) {
    const reservations = await app.extendReservations(context.organisationId(), reservationIds, lifetimeSeconds);
    return { reservations: reservations.map(reservationMessage) };
  },
});

const filterOf = (request: ListCreditTransactionsRequest): CreditTransactionFilter => ({
  kinds: request.kind,
  ...createdWithin(request),
});

const createdWithin = ({ createdAfter, createdBefore }: { createdAfter: Date | null; createdBefore: Date | null }) => ({
  ...(createdAfter && { createdAfter }),
  ...(createdBefore && { createdBefore }),
});
