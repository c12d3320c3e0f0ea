import { systemActor } from '../../events.ts';
import { noSuchPath } from '../domain/errors.ts';
import {
  concernsPaymentMethods,
  isNews,
  type ProviderEvents,
  type ProviderWebhooks,
  type SettledPayment,
} from '../domain/provider-event.ts';
import { refreshWallet, type WalletPorts } from './wallets.ts';

export interface ProviderEventPorts extends WalletPorts {
  /** Present where the provider reports on its own account. */
  readonly webhooks: ProviderWebhooks | null;
  readonly providerEvents: ProviderEvents;
  /** Told when a payment that was not decided at once has been; may be told more than once. */
  readonly paymentSettled: (payment: SettledPayment) => Promise<void>;
}

/**
 * Takes in what a provider reports. However often a report comes, and in whatever order, it has one effect: what it
 * leads to is safe to repeat, and only then it is remembered. Reports about nobody we know are none of our business.
 * MALFORMED: no signature of the provider's, or too old.
 */
export async function receiveProviderEvent(
  ports: ProviderEventPorts,
  payload: Buffer,
  signature: string,
  requestId: string,
): Promise<void> {
  const { webhooks, wallets, providerEvents, clock } = ports;
  if (!webhooks) throw noSuchPath();
  const event = webhooks.readEvent(payload, signature);
  const organisationId = event.customer === null ? null : await wallets.organisationOfCustomer(event.customer);
  if (organisationId === null) return;
  const known = await providerEvents.known(organisationId, event);
  if (known.handled) return;
  if (concernsPaymentMethods(event)) await refreshWallet(ports, systemActor(organisationId, requestId));
  if (event.payment && isNews(known.payment, event.payment.status)) {
    await ports.paymentSettled({ organisationId, ...event.payment, requestId });
  }
  await providerEvents.remember(organisationId, event, clock.now());
}
