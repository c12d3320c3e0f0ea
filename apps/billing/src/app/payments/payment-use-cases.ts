import { confirmInSandbox } from './confirm-in-sandbox.ts';
import { createSetupIntent } from './create-setup-intent.ts';
import { detachPaymentMethod } from './detach-payment-method.ts';
import { listPaymentMethods } from './list-payment-methods.ts';
import type { PaymentParts } from './payment-parts.ts';
import { receiveProviderEvent } from './receive-provider-event.ts';
import { setDefaultPaymentMethod } from './set-default-payment-method.ts';

/** What can be done with payment methods. */
export const paymentUseCases = (parts: PaymentParts) => ({
  confirmInSandbox: confirmInSandbox(parts),
  createSetupIntent: createSetupIntent(parts),
  listPaymentMethods: listPaymentMethods(parts),
  receiveProviderEvent: receiveProviderEvent(parts),
  setDefaultPaymentMethod: setDefaultPaymentMethod(parts),
  detachPaymentMethod: detachPaymentMethod(parts),
});
