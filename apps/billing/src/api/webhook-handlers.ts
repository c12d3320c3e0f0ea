import type { WebhookServiceHandlers } from '@platform/contract/billing';
import type { CallContext } from '@platform/grpc';
import type { BillingApp } from '../app/billing-app.ts';

/** Reports of payment providers: nobody is signed in, the signature over the body is the credential. */
export const webhookHandlers = (app: BillingApp): WebhookServiceHandlers<CallContext> => ({
  async receiveStripeWebhook({ payload, signature }, { requestId }) {
    await app.receiveProviderEvent(Buffer.from(payload), signature, requestId);
    return { received: true };
  },
});
