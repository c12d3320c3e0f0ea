import { systemActor } from '../../events.ts';
import { noSuchPath } from '../domain/errors.ts';
import type { ChargeOutcome } from '../domain/payment-processor.ts';
import {
  concernsPaymentMethods,
  type ProviderEvent,
  type ProviderEvents,
  type ProviderWebhooks,
} from '../domain/provider-event.ts';
import { paymentReported, type PaymentPorts } from './collect-payment.ts';
import { refreshWallet } from './wallets.ts';

export interface ProviderEventPorts extends PaymentPorts {
  /** Present where the provider reports on its own account. */
  readonly webhooks: ProviderWebhooks | null;
  readonly providerEvents: ProviderEvents;
}

/**
 * Takes in what a provider reports. However often a report comes, and in whatever order, it has one effect: what it
 * leads to is safe to repeat, and only then it is remembered. Reports about nobody we know are none of our business.
 * MALFORMED: no signature of the provider's, or too old.
 */
export async function receiveProviderEvent(
  ports: ProviderEventPorts,
  body: Buffer,
  signature: string,
  requestId: string,
): Promise<void> {
  const { webhooks, wallets, payments, providerEvents, clock } = ports;
  if (!webhooks) throw noSuchPath();
  const event = webhooks.readEvent(body, signature);
  const { customer, payment: reported } = event;
  const payment = reported && (await payments.find(reported.id, reported.processorReference));
  const organisationId =
    payment?.organisationId ?? (customer === null ? null : await wallets.organisationOfCustomer(customer));
  if (organisationId === null || (await providerEvents.isHandled(organisationId, event))) return;
  if (concernsPaymentMethods(event)) await refreshWallet(ports, systemActor(organisationId, requestId));
  if (reported && payment) await paymentReported(ports, payment, outcomeOf(reported));
  await providerEvents.remember(organisationId, event, clock.now());
}

const outcomeOf = ({ status, processorReference }: NonNullable<ProviderEvent['payment']>): ChargeOutcome =>
  status === 'succeeded' ? { status, processorReference } : { status, processorReference, reason: 'canceled' };
