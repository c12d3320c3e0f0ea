import { upstreamFailed } from '@platform-backend/core';
import Stripe from 'stripe';
import { invalidSignature, missingSignature, unreadableReport, noSuchPath } from '../domain/errors.ts';
import type { ChargeOutcome } from '../domain/payment-processor.ts';
import type { Payer, PaymentProvider, ProviderCharge, ProviderPaymentMethod } from '../domain/payment-provider.ts';
import type { ProviderEvent, ProviderWebhooks } from '../domain/provider-event.ts';

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
}: StripeOptions): PaymentProvider & ProviderWebhooks {
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
    name: 'stripe',
    methodUnlessSetUp: null,

    async createCustomer(organisationId) {
      const customer = await asked(() =>
        stripe.customers.create(
          { metadata: { organisation_id: organisationId } },
          { idempotencyKey: `customer:${organisationId}` },
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
        return declineOf(error);
      }
    },

    async cancelPayment(_payer, reference) {
      const { status } = await asked(async () => {
        try {
          return await stripe.paymentIntents.cancel(reference);
        } catch (error) {
          // It may be paid or cancelled by now.
          if (error instanceof Stripe.errors.StripeInvalidRequestError)
            return stripe.paymentIntents.retrieve(reference);
          throw error;
        }
      });
      if (status === 'canceled') return 'declined';
      if (status === 'succeeded') return 'succeeded';
      throw upstreamFailed(new Error(`payment ${reference} is ${status} and could not be cancelled`));
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
  { amount, currency, paymentMethod, description, idempotencyKey, payerIsAway = false }: ProviderCharge,
): [Stripe.PaymentIntentCreateParams, Stripe.RequestOptions] {
  return [
    {
      amount: Number(amount),
      currency: currency.toLowerCase(),
      customer,
      payment_method: paymentMethod,
      // Nobody can be sent to a bank's page and back from here.
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' },
      confirm: true,
      off_session: payerIsAway,
      description,
      metadata: { organisation_id: organisationId },
    },
    { idempotencyKey },
  ];
}

function outcomeOf({
  id,
  status,
  client_secret: clientSecret,
  last_payment_error: error,
}: Stripe.PaymentIntent): ChargeOutcome {
  switch (status) {
    case 'succeeded':
      return { status: 'succeeded', processorReference: id };
    case 'requires_action':
      return { status: 'requires_action', processorReference: id, clientSecret: clientSecret ?? '' };
    case 'requires_payment_method':
    case 'canceled':
      return {
        status: 'declined',
        processorReference: id,
        reason: error?.decline_code ?? error?.code ?? 'card_declined',
      };
    case 'processing':
    case 'requires_capture':
    case 'requires_confirmation':
    default:
      // Not decided yet: the same charge is asked for again later, and Stripe answers with the same payment.
      throw upstreamFailed(new Error(`payment ${id} is ${status}`));
  }
}

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

const failureOf = (error: unknown): unknown =>
  error instanceof Stripe.errors.StripeError ? upstreamFailed(error) : error;

const methodOf = ({ id, type, card }: Stripe.PaymentMethod): ProviderPaymentMethod => ({
  reference: id,
  kind: type,
  brand: card?.brand ?? '',
  lastFour: card?.last4 ?? '',
  expiryMonth: card?.exp_month ?? null,
  expiryYear: card?.exp_year ?? null,
});

function eventOf(event: Stripe.Event): ProviderEvent {
  const { id, type } = event;
  const object = event.data.object as { id?: string; customer?: string | { id: string } | null };
  const former = event.data.previous_attributes as { customer?: string | null } | undefined;
  const named = typeof object.customer === 'object' ? object.customer?.id : object.customer;
  const facts = { id, type, at: new Date(event.created * 1000), customer: named ?? former?.customer ?? null };
  const status = finalStatuses[type];
  return { ...facts, payment: status === undefined ? null : { processorReference: object.id ?? '', status } };
}

/** After a failed attempt the payer may try again with another card: only what is over counts. */
const finalStatuses: Readonly<Record<string, 'succeeded' | 'declined'>> = {
  'payment_intent.succeeded': 'succeeded',
  'payment_intent.canceled': 'declined',
};
