import type { WebhookServiceHandlers } from '@platform-backend/contract-billing';
import type { CallContext } from '@platform-backend/grpc';
import type { PaymentMethodUseCases } from '../app/payment-methods.ts';

/** Reports of payment providers: nobody is signed in, the signature over the body is the credential. */
export const webhookHandlers = (app: PaymentMethodUseCases): WebhookServiceHandlers<CallContext> => ({
  async receiveStripeWebhook({ payload, signature }, { requestId }) {
    await app.receiveProviderEvent(Buffer.from(payload), signature, requestId);
    return { received: true };
  },
});
