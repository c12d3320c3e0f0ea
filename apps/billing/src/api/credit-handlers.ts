import type { CreditServiceHandlers, ListCreditTransactionsRequest } from '@platform/contract/billing';
import type { CallContext } from '@platform/grpc';
import type { BillingApp } from '../app/billing-app.ts';
import { longestLifetimeSeconds, usualLifetimeSeconds } from '../domain/credits/reservation.ts';
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
import { idOf, integerBetween, microsOf, optionalUuid, pageRequest, textBetween, uuidOf } from './request-fields.ts';

export const creditHandlers = (app: BillingApp): CreditServiceHandlers<CallContext> => ({
  previewPrice({ credits, currency, country }) {
    return Promise.resolve(priceMessage(app.previewPrice({ credits, currency, country })));
  },

  async getCreditBalance(_request, context) {
    return balanceMessage(await app.getCreditBalance(actingOf(context)));
  },

  async listCreditTransactions(request, context) {
    const filter = filterOf(request);
    const page = await app.listCreditTransactions(context.organisationId(), filter, pageRequest(request));
    return {
      transactions: page.items.map(transactionMessage),
      nextCursor: page.nextCursor,
      totalCount: page.total,
    };
  },

  async listCreditGrants(request, context) {
    const page = await app.listCreditGrants(context.organisationId(), pageRequest(request));
    return { grants: page.items.map(grantMessage), nextCursor: page.nextCursor, totalCount: page.total };
  },

  async purchaseCredits({ credits, currency, country, paymentMethodId }, context) {
    const purchase = await app.purchaseCredits(actingOf(context), {
      credits: integerBetween(credits, 'credits', 1, mostCredits),
      currency,
      country,
      paymentMethodId: optionalUuid(paymentMethodId, 'payment_method_id'),
    });
    return purchaseMessage(purchase);
  },

  async listCreditPurchases(request, context) {
    const filter = { statuses: request.status, ...createdWithin(request) };
    const page = await app.listCreditPurchases(context.organisationId(), filter, pageRequest(request));
    return { purchases: page.items.map(purchaseMessage), nextCursor: page.nextCursor, totalCount: page.total };
  },

  async getCreditPurchase({ purchaseId }, context) {
    return purchaseMessage(await app.getCreditPurchase(context.organisationId(), idOf(purchaseId, 'Purchase')));
  },

  async reserveCredits(request, context) {
    const { service, usageGroupId: clientGroupId = null, apiKeyId = null } = context.caller;
    const reservation = await app.reserveCredits(actingOf(context), {
      id: uuidOf(request.reservationId, 'reservation_id'),
      amount: microsOf(request.amountMicros, 'amount_micros', 1n),
      purpose: textBetween(request.purpose, 'purpose', 1, 120),
      creditClass: request.creditClass ?? 'AI',
      clientGroupId: optionalUuid(request.clientGroupId ?? clientGroupId, 'client_group_id'),
      apiKeyId: optionalUuid(request.apiKeyId ?? apiKeyId, 'api_key_id'),
      service,
      lifetimeSeconds: lifetimeOf(request),
    });
    return reservationMessage(reservation);
  },

  async settleCredits({ reservationId, amountMicros }, context) {
    const amount = microsOf(amountMicros, 'amount_micros', 0n);
    return reservationMessage(await app.settleCredits(actingOf(context), known(reservationId), amount));
  },

  async releaseCredits({ reservationId }, context) {
    return reservationMessage(await app.releaseCredits(actingOf(context), known(reservationId)));
  },

  async extendReservations({ reservationIds, ...request }, context) {
    integerBetween(reservationIds.length, 'reservation_ids', 1, 1000);
    const ids = reservationIds.map((id) => uuidOf(id, 'reservation_ids'));
    const reservations = await app.extendReservations(context.organisationId(), ids, lifetimeOf(request));
    return { reservations: reservations.map(reservationMessage) };
  },
});

/** D22. */
const mostCredits = 10_000_000;

/** Zero is an absent lifetime: services call each other without the gateway, which fills in defaults. */
const lifetimeOf = ({ lifetimeSeconds }: { readonly lifetimeSeconds: number }): number =>
  lifetimeSeconds === 0
    ? usualLifetimeSeconds
    : integerBetween(lifetimeSeconds, 'lifetime_seconds', 1, longestLifetimeSeconds);

const known = (id: string) => idOf(id, 'Reservation');

const filterOf = (request: ListCreditTransactionsRequest): CreditTransactionFilter => ({
  kinds: request.kind,
  ...createdWithin(request),
});

const createdWithin = ({ createdAfter, createdBefore }: { createdAfter: Date | null; createdBefore: Date | null }) => ({
  ...(createdAfter && { createdAfter }),
  ...(createdBefore && { createdBefore }),
});
