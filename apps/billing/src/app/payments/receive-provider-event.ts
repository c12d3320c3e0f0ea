import { DomainError } from '@platform/core';
import { billingItself } from '../../domain/acting.ts';
import { concernsPaymentMethods, isNews } from '../../domain/payments/provider-event.ts';
import type { PaymentParts } from './payment-parts.ts';
import { refreshWallet } from './refresh-wallet.ts';

/**
 * Takes in what a provider reports. However often a report comes, and in whatever order, it has one effect: what it
 * leads to is safe to repeat, and only then it is remembered. Reports about nobody we know are none of our business.
 * MALFORMED: no signature of the provider's, or too old.
 */
export const receiveProviderEvent =
  (parts: PaymentParts) =>
  async (payload: Buffer, signature: string, requestId: string): Promise<void> => {
    const { webhooks, wallets, providerEvents, clock } = parts;
    if (!webhooks) throw new DomainError({ kind: 'not_found' });
    const event = webhooks.readEvent(payload, signature);
    const organisationId = event.customer === null ? null : await wallets.organisationOfCustomer(event.customer);
    if (organisationId === null) return;
    const known = await providerEvents.known(organisationId, event);
    if (known.handled) return;
    if (concernsPaymentMethods(event)) await refreshWallet(parts)(billingItself(organisationId, requestId));
    if (event.payment && isNews(known.payment, event.payment.status)) {
      await parts.paymentSettled({ organisationId, ...event.payment, requestId });
    }
    await providerEvents.remember(organisationId, event, clock.now());
  };
