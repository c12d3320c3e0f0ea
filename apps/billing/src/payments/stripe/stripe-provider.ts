import { upstreamFailed } from '@platform-backend/core';
import Stripe from 'stripe';
import { invalidSignature, missingSignature, unreadableReport, noSuchPath } from '../domain/errors.ts';
import type { ChargeOutcome } from '../domain/payment-processor.ts';
import {
  type Payer,
  type PaymentProvider,
  type ProviderCharge,
  type ProviderPaymentMethod,
} from '../domain/payment-provider.ts';
import type { Payment } from '../domain/payment.ts';
import type { ProviderEvent, ProviderWebhooks, ReportedDispute } from '../domain/provider-event.ts';
import type { RefundProvider } from '../domain/refund-provider.ts';
import { failureOf } from './stripe-failures.ts';
import { stripeRefunds } from './stripe-refunds.ts';

export interface StripeOptions {
  readonly secretKey: string;
  /** Stripe's own unless given; a local double in tests. */
  readonly apiUrl: string;
  /** Without one no webhook is believed. */
  readonly webhookSecret?: string | undefined;
}

/** Longest wait for one answer; with the one retry it stays below the lease of a change. */
const timeoutMs = 10_000;

/** How old a webhook may be, in seconds: a recorded one cannot be played again later. */
const webhookToleranceSeconds = 300;

/** Stripe, by its own package. Every write carries an idempotency key, so that trying again is safe. */
export function stripeProvider({
  secretKey,
  apiUrl,
  webhookSecret,
}: StripeOptions): PaymentProvider & RefundProvider & ProviderWebhooks {
  const { protocol, hostname, port } = new URL(apiUrl);
  const stripe = new Stripe(secretKey, {
    protocol: protocol === 'http:' ? 'http' : 'https',
    host: hostname,
    ...(port !== '' && { port: Number(port) }),
    maxNetworkRetries: 1,
    timeout: timeoutMs,
    telemetry: false,
  });

  return {
    ...stripeRefunds(stripe),
    name: 'stripe',
    methodUnlessSetUp: null,

    async createCustomer(organisationId, gone) {
      const customer = await asked(() =>
        stripe.customers.create(
          { metadata: { organisation_id: organisationId } },
          { idempotencyKey: gone === null ? `customer:${organisationId}` : `customer:${organisationId}:after:${gone}` },
        ),
      );
      return customer.id;
    },

    async createSetupIntent(payer, idempotencyKey) {
      const owner = payer && { customer: payer.customer, metadata: { organisation_id: payer.organisationId } };
      const intent = await asked(() =>
        stripe.setupIntents.create(
          {
            ...owner,
            usage: 'off_session',
            automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
          },
          { idempotencyKey },
        ),
      );
      if (intent.client_secret === null) throw upstreamFailed(new Error(`${intent.id} has no client secret`));
      return { clientSecret: intent.client_secret };
    },

    async listPaymentMethods({ customer }) {
      const { data } = await asked(() => stripe.customers.listPaymentMethods(customer, { limit: 100 }));
      return data.toSorted((one, other) => other.created - one.created).map(methodOf);
    },

    async detachPaymentMethod(_payer, reference) {
      try {
        await stripe.paymentMethods.detach(reference);
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw failureOf(error);
        // It may be detached already: we were here before and did not hear the answer.
        if (await isAttached(stripe, reference)) throw failureOf(error);
      }
    },

    async charge(payer, charge) {
      try {
        return outcomeOf(await stripe.paymentIntents.create(...paymentOf(payer, charge)));
      } catch (error) {
        if (isKeySpent(error)) {
          const made = await findPayment(stripe, payer, charge);
          return made ?? { status: 'cancelled', processorReference: '', reason: 'processor_failed' };
        }
        // The release before has asked with this key, and without our id.
        const made = isKeyReused(error) ? await findPayment(stripe, payer, charge) : null;
        return made ?? declineOf(error);
      }
    },

    getPayment: async (_payer, reference) => outcomeOf(await asked(() => stripe.paymentIntents.retrieve(reference))),

    findPayment: (payer, payment) => findPayment(stripe, payer, payment),

    async *listPayments(since) {
      const made = stripe.paymentIntents.list({ created: { gte: Math.floor(since.getTime() / 1000) }, limit: 100 });
      try {
        for await (const { id: reference, metadata, amount, currency, status } of made) {
          // What else the account is used for is none of our business.
          const { organisation_id: organisationId, payment_id: paymentId } = metadata;
          if (organisationId === undefined) continue;
          yield {
            reference,
            paymentId: idOf(paymentId),
            organisationId,
            amountMinor: BigInt(amount),
            currency: currency.toUpperCase(),
            status,
          };
        }
      } catch (error) {
        throw failureOf(error);
      }
    },

    async cancelPayment(_payer, reference) {
      const intent = await asked(async () => {
        try {
          return await stripe.paymentIntents.cancel(reference);
        } catch (error) {
          // It may be paid or cancelled by now.
          if (error instanceof Stripe.errors.StripeInvalidRequestError)
            return stripe.paymentIntents.retrieve(reference);
          throw error;
        }
      });
      if (['canceled', 'succeeded', 'processing'].includes(intent.status)) return outcomeOf(intent);
      throw upstreamFailed(new Error(`payment ${reference} is ${intent.status} and could not be cancelled`));
    },

    async paymentIdOf(reference) {
      try {
        return idOf((await stripe.paymentIntents.retrieve(reference)).metadata['payment_id']);
      } catch (error) {
        if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing') return null;
        throw failureOf(error);
      }
    },

    readEvent(payload, signature) {
      if (webhookSecret === undefined) throw noSuchPath();
      if (signature === '') throw missingSignature();
      try {
        return eventOf(stripe.webhooks.constructEvent(payload, signature, webhookSecret, webhookToleranceSeconds));
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) {
          throw unreadableReport({ cause: error });
        }
        throw invalidSignature({ cause: error });
      }
    },
  };
}

function paymentOf(
  { organisationId, customer }: Payer,
  { id, amountMinor, currency, paymentMethod, description, idempotencyKey, payerIsAway }: ProviderCharge,
): [Stripe.PaymentIntentCreateParams, Stripe.RequestOptions] {
  return [
    {
      amount: Number(amountMinor),
      currency: currency.toLowerCase(),
      customer,
      payment_method: paymentMethod,
      // Nobody can be sent to a bank's page and back from here.
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      confirm: true,
      off_session: payerIsAway,
      description,
      metadata: { organisation_id: organisationId, payment_id: id },
    },
    { idempotencyKey },
  ];
}

function outcomeOf({
  id,
  status,
  client_secret: clientSecret,
  last_payment_error: error,
  cancellation_reason: cancellationReason,
}: Stripe.PaymentIntent): ChargeOutcome {
  switch (status) {
    case 'succeeded':
      return { status: 'succeeded', processorReference: id };
    case 'requires_action':
      return { status: 'requires_action', processorReference: id, clientSecret: clientSecret ?? '' };
    case 'processing':
      return { status: 'processing', processorReference: id };
    case 'canceled':
      return { status: 'cancelled', processorReference: id, reason: cancellationReason ?? 'canceled' };
    case 'requires_payment_method':
      return {
        status: 'declined',
        processorReference: id,
        reason: error?.decline_code ?? error?.code ?? 'card_declined',
      };
    case 'requires_capture':
    case 'requires_confirmation':
    default:
      // Not decided yet: the same charge is asked for again later, and Stripe answers with the same payment.
      throw upstreamFailed(new Error(`payment ${id} is ${status}`));
  }
}

/** The one with our id; one of the release before, which told none, by all that it is for. */
async function findPayment(
  stripe: Stripe,
  { customer }: Payer,
  { id, amountMinor, currency, description, createdAt }: Payment,
): Promise<ChargeOutcome | null> {
  const from = Math.floor(createdAt.getTime() / 1000) - clockSkewSeconds;
  const made = stripe.paymentIntents.list({ customer, created: { gte: from }, limit: 100 });
  return asked(async () => {
    for await (const intent of made) {
      const { payment_id: ours } = intent.metadata;
      const isAlike =
        BigInt(intent.amount) === amountMinor &&
        intent.currency === currency.toLowerCase() &&
        intent.description === description;
      if (ours === undefined ? isAlike : ours === id) return outcomeOf(intent);
    }
    return null;
  });
}

/** How much Stripe's clock may differ from ours. */
const clockSkewSeconds = 300;

/** Stripe keeps the answer of the first request of a key for a day, also when that was its own failure. */
const isKeySpent = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeAPIError &&
  (error.statusCode ?? 0) >= 500 &&
  error.headers?.['idempotent-replayed'] === 'true';

const isKeyReused = (error: unknown): boolean => error instanceof Stripe.errors.StripeIdempotencyError;

/** Payers are told what they can mend; everything else is between Stripe and us. */
function declineOf(error: unknown): ChargeOutcome {
  if (error instanceof Stripe.errors.StripeCardError) {
    // The package types promise both codes; the interface does not.
    const { code, decline_code: declineCode } = error as { code?: string; decline_code?: string };
    const reason = (code === 'authentication_required' ? code : (declineCode ?? code)) ?? 'card_declined';
    return { status: 'declined', processorReference: error.payment_intent?.id ?? '', reason };
  }
  if (error instanceof Stripe.errors.StripeInvalidRequestError) {
    const reason = { payment_method: 'payment_method_not_available', amount: 'amount_not_payable' }[error.param ?? ''];
    if (reason !== undefined) return { status: 'declined', processorReference: '', reason };
  }
  throw failureOf(error);
}

async function asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    throw failureOf(error);
  }
}

/** Whether a customer still has it; one that Stripe does not know is nobody's. */
async function isAttached(stripe: Stripe, reference: string): Promise<boolean> {
  try {
    return (await stripe.paymentMethods.retrieve(reference)).customer !== null;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing') return false;
    throw failureOf(error);
  }
}

const methodOf = ({ id, type, card }: Stripe.PaymentMethod): ProviderPaymentMethod => ({
  reference: id,
  kind: type,
  brand: card?.brand ?? '',
  lastFour: card?.last4 ?? '',
  fingerprint: card?.fingerprint ?? '',
  country: card?.country ?? null,
  expiryMonth: card?.exp_month ?? null,
  expiryYear: card?.exp_year ?? null,
});

function eventOf(event: Stripe.Event): ProviderEvent {
  const { type } = event;
  const object = event.data.object as {
    id?: string;
    customer?: string | { id: string } | null;
    metadata?: { readonly payment_id?: string; readonly refund_id?: string };
    payment_intent?: string | { id: string } | null;
  };
  const former = event.data.previous_attributes as { customer?: string | null } | undefined;
  const named = typeof object.customer === 'object' ? object.customer?.id : object.customer;
  const facts = { id: event.id, type, at: new Date(event.created * 1000), customer: named ?? former?.customer ?? null };
  const status = finalStatuses[type];
  const processorReference = object.id ?? '';
  const id = idOf(object.metadata?.payment_id);
  const payment = status === undefined ? null : { id, processorReference, status };
  const { payment_intent: of } = object;
  const paymentReference = (typeof of === 'object' ? of?.id : of) ?? '';
  const refund = idOf(object.metadata?.refund_id);
  return {
    ...facts,
    payment,
    refund: /^(charge\.)?refund\./.test(type) && refund !== null ? { id: refund, paymentReference } : null,
    dispute: event.type.startsWith('charge.dispute.')
      ? disputeOf(event.data.object as Stripe.Dispute, paymentReference)
      : null,
  };
}

const disputeOf = (
  { id: reference, amount, currency, reason, status }: Stripe.Dispute,
  paymentReference: string,
): ReportedDispute => ({
  reference,
  paymentReference,
  amountMinor: BigInt(amount),
  currency: currency.toUpperCase(),
  reason,
  isInquiry: status.startsWith('warning_'),
  state: status === 'won' || status === 'warning_closed' ? 'WON' : status === 'lost' ? 'LOST' : 'OPEN',
});

/** Ours; anybody can write metadata at Stripe. */
const idOf = (text: string | undefined): string | null => (text !== undefined && uuid.test(text) ? text : null);

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** After a failed attempt the payer may try again with another card: only what is over counts. */
const finalStatuses: Readonly<Record<string, 'succeeded' | 'cancelled'>> = {
  'payment_intent.succeeded': 'succeeded',
  'payment_intent.canceled': 'cancelled',
};
