import { systemActor } from '../../events.ts';
import { noSuchPath } from '../domain/errors.ts';
import type { ChargeOutcome } from '../domain/payment-processor.ts';
import type { Payment } from '../domain/payment.ts';
import type { PaymentName } from '../domain/payments.ts';
import {
  concernsPaymentMethods,
  type ProviderEvent,
  type ProviderEvents,
  type ProviderWebhooks,
  type ReportedDispute,
} from '../domain/provider-event.ts';
import { paymentReported, type PaymentPorts } from './collect-payment.ts';
import { refreshWallet } from './wallets.ts';

export interface ProviderEventPorts extends PaymentPorts {
  /** Present where the provider reports on its own account. */
  readonly webhooks: ProviderWebhooks | null;
  readonly providerEvents: ProviderEvents;
  /** Takes in what is reported of a refund, or of a dispute about a payment. Both are safe to repeat. */
  readonly refundReported: (organisationId: string, refundId: string) => Promise<void>;
  readonly disputeReported: (payment: Payment, dispute: ReportedDispute, requestId: string) => Promise<void>;
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
  const { customer, payment: reported, refund, dispute } = event;
  const about = reported?.processorReference ?? refund?.paymentReference ?? dispute?.paymentReference;
  const named = about === undefined ? null : await payments.find(reported?.id ?? null, about);
  // What was never heard of by the processor's name may be a payment of ours all the same.
  const payment = named ?? (dispute && (await foundThere(ports, webhooks, dispute.paymentReference)));
  const organisationId =
    payment?.organisationId ?? (customer === null ? null : await wallets.organisationOfCustomer(customer));
  if (organisationId === null || (await providerEvents.isHandled(organisationId, event))) return;
  if (concernsPaymentMethods(event)) await refreshWallet(ports, systemActor(organisationId, requestId));
  if (reported && payment) await paymentReported(ports, payment, outcomeOf(reported));
  if (refund && payment) await ports.refundReported(organisationId, refund.id);
  if (dispute && payment) await receiveDispute(ports, payment, dispute, requestId);
  await providerEvents.remember(organisationId, event, clock.now());
}

/** Takes in what is reported of a dispute. What a bank takes back was paid, whether we have heard of that or not. */
export async function receiveDispute(
  ports: PaymentPorts & Pick<ProviderEventPorts, 'disputeReported'>,
  name: PaymentName,
  dispute: ReportedDispute,
  requestId: string,
): Promise<void> {
  await paymentReported(ports, name, { status: 'succeeded', processorReference: dispute.paymentReference });
  const payment = await ports.payments.get(name);
  if (payment) await ports.disputeReported(payment, dispute, requestId);
}

async function foundThere(
  { payments }: ProviderEventPorts,
  webhooks: ProviderWebhooks,
  reference: string,
): Promise<PaymentName | null> {
  const id = await webhooks.paymentIdOf(reference);
  return id === null ? null : payments.find(id, reference);
}

const outcomeOf = ({ status, processorReference }: NonNullable<ProviderEvent['payment']>): ChargeOutcome =>
  status === 'succeeded' ? { status, processorReference } : { status, processorReference, reason: 'canceled' };
