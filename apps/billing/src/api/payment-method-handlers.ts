import type { PaymentMethodInput, PaymentMethodServiceHandlers } from '@platform/contract/billing';
import type { CallContext } from '@platform/grpc';
import type { BillingApp } from '../app/billing-app.ts';
import type { PaymentMethod } from '../domain/payments/wallet.ts';
import { actingOf } from './acting.ts';
import { pageOfAll } from './page-of-all.ts';

export const paymentMethodHandlers = (app: BillingApp): PaymentMethodServiceHandlers<CallContext> => ({
  async createSetupIntent(_request, context) {
    const by = context.caller.kind === 'anonymous' ? null : actingOf(context);
    return { clientSecret: await app.createSetupIntent(by) };
  },

  async listPaymentMethods(request, context) {
    const methods = await app.listPaymentMethods(actingOf(context));
    const { items, nextCursor, total } = pageOfAll(methods, request);
    return { paymentMethods: items.map(methodMessage), nextCursor, totalCount: total };
  },

  async setDefaultPaymentMethod({ paymentMethodId }, context) {
    return methodMessage(await app.setDefaultPaymentMethod(actingOf(context), paymentMethodId));
  },

  async detachPaymentMethod({ paymentMethodId }, context) {
    const id = await app.detachPaymentMethod(actingOf(context), paymentMethodId);
    return { id, deleted: true };
  },

  async confirmInSandbox({ clientSecret, card }, context) {
    const { status, reason, paymentMethod } = await app.confirmInSandbox(actingOf(context), clientSecret, card);
    return { status, reason, paymentMethod: paymentMethod && methodMessage(paymentMethod) };
  },
});

const methodMessage = ({ reference: _ours, ...method }: PaymentMethod): PaymentMethodInput => method;
