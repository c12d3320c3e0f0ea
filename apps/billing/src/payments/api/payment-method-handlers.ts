import type { PaymentMethodInput, PaymentMethodServiceHandlers } from '@platform-backend/contract-billing';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import type { PaymentMethodUseCases } from '../app/payment-methods.ts';
import type { PaymentMethod } from '../domain/wallet.ts';
import { pageOfAll } from './page-of-all.ts';

export const paymentMethodHandlers = (app: PaymentMethodUseCases): PaymentMethodServiceHandlers<CallContext> => ({
  async createSetupIntent(_request, context) {
    const by = context.caller.kind === 'anonymous' ? null : context.actorContext();
    return { clientSecret: await app.createSetupIntent(by) };
  },

  async listPaymentMethods(request, context) {
    const methods = await app.listPaymentMethods(context.actorContext());
    return listAnswer('paymentMethods', pageOfAll(methods, request), methodMessage);
  },

  async setDefaultPaymentMethod({ paymentMethodId }, context) {
    return methodMessage(await app.setDefaultPaymentMethod(context.actorContext(), paymentMethodId));
  },

  async detachPaymentMethod({ paymentMethodId }, context) {
    const id = await app.detachPaymentMethod(context.actorContext(), paymentMethodId);
    return { id, deleted: true };
  },

  async confirmInSandbox({ clientSecret, card }, context) {
    const { status, reason, paymentMethod } = await app.confirmInSandbox(context.actorContext(), clientSecret, card);
    return { status, reason, paymentMethod: paymentMethod && methodMessage(paymentMethod) };
  },
});

const methodMessage = ({ reference: _ours, fingerprint: _card, ...method }: PaymentMethod): PaymentMethodInput =>
  method;
