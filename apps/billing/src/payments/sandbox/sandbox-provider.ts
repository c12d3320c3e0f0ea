import { newId, upstreamFailed, type Clock } from '@platform-backend/core';
import { randomBytes } from 'node:crypto';
import type { ChargeOutcome } from '../domain/payment-processor.ts';
import type { PaymentProvider, ProviderCharge, SandboxConfirmation, SandboxForm } from '../domain/payment-provider.ts';
import type { RefundProvider } from '../domain/refund-provider.ts';
import type { SandboxBooks, SandboxPayment, SandboxSetup } from '../domain/sandbox-books.ts';
import { describeCard, sandboxCards } from './sandbox-cards.ts';
import { disputeOf } from './sandbox-disputes.ts';
import { sandboxRefunds } from './sandbox-refunds.ts';

export interface SandboxOptions {
  readonly books: SandboxBooks;
  readonly clock: Clock;
  /** The test card of organisations that have set nothing up; null: they cannot pay. */
  readonly cardUnlessSetUp: string | null;
}

/** The sandbox and its form, in one. */
export type SandboxProvider = PaymentProvider & RefundProvider & SandboxForm;

/** A payment company with books of our own that behaves like a real one, for development and tests. No money moves. */
export function sandboxProvider({ books, clock, cardUnlessSetUp }: SandboxOptions): SandboxProvider {
  async function setUp(organisationId: string, setup: SandboxSetup, card: string): Promise<SandboxConfirmation> {
    // Named after the set-up, so that repeating it finds the card it made.
    const made = setup.id.replace(/^seti_/, 'pm_');
    if (setup.status === 'succeeded') return { status: 'set_up', reference: made };
    if (!Object.hasOwn(sandboxCards, card)) return { status: 'unknown_card', cards: Object.keys(sandboxCards) };
    if (sandboxCards[card]?.setUp !== 'succeeds') return { status: 'declined', reason: 'card_declined' };
    await books.finishSetup(organisationId, setup.id, { id: made, card }, clock.now());
    return { status: 'set_up', reference: made };
  }

  return {
    ...sandboxRefunds(books, clock),
    name: 'sandbox',
    methodUnlessSetUp: cardUnlessSetUp,

    createCustomer: (organisationId) => Promise.resolve(`cus_sandbox_${organisationId}`),

    async createSetupIntent(payer, idempotencyKey) {
      const id = reference('seti');
      const setup: SandboxSetup = { id, clientSecret: secretOf(id), status: 'requires_payment_method' };
      // Nobody could confirm one that is nobody's: the form is for members of an organisation.
      return payer ? books.addSetup(payer.organisationId, idempotencyKey, setup, clock.now()) : setup;
    },

    async listPaymentMethods({ organisationId }) {
      return (await books.cards(organisationId)).map(({ id, card }) => describeCard(id, card));
    },

    detachPaymentMethod: ({ organisationId }, id) => books.detach(organisationId, id, clock.now()),

    async charge({ organisationId }, { idempotencyKey, payerIsAway, paymentMethod, ...asked }) {
      const attached = (await books.cards(organisationId)).find(({ id }) => id === paymentMethod);
      const id = reference('pi');
      const card = attached?.card ?? paymentMethod;
      const outcome = outcomeOf(card, payerIsAway);
      const { amountMinor: amount, currency, description } = asked;
      const payment = {
        amount,
        currency,
        description,
        ...outcome,
        id,
        clientSecret: secretOf(id),
        card: paymentMethod,
      };
      const at = clock.now();
      const made = await books.addPayment(organisationId, idempotencyKey, payment, at);
      const dispute = made.status === 'succeeded' ? disputeOf(card, organisationId, made, at) : null;
      if (dispute) await books.addDispute(dispute);
      return chargeOutcome(made);
    },

    getPayment: async ({ organisationId }, id) => outcomeAt(await books.payment(organisationId, { id })),

    async findPayment({ organisationId }, { idempotencyKey }) {
      const payment = await books.payment(organisationId, { idempotencyKey });
      return payment && chargeOutcome(payment);
    },

    listPayments: (since) => books.paymentsSince(since),

    cancelPayment: async ({ organisationId }, id) =>
      outcomeAt(await books.settle(organisationId, id, { status: 'declined', reason: 'canceled' })),

    async confirm(organisationId, clientSecret, card) {
      const payment = await books.payment(organisationId, { clientSecret });
      if (payment) {
        const settled = await books.settle(organisationId, payment.id, { status: 'succeeded', reason: null });
        if (settled?.status === 'succeeded') return { status: 'paid', processorReference: payment.id };
        return { status: 'declined', reason: settled?.reason ?? 'card_declined' };
      }
      const setup = await books.setupOf(organisationId, clientSecret);
      return setup ? setUp(organisationId, setup, card) : { status: 'unknown' };
    },
  };
}

function outcomeOf(
  card: string,
  payerIsAway: ProviderCharge['payerIsAway'],
): Pick<SandboxPayment, 'status' | 'reason'> {
  const behaviour = sandboxCards[card]?.behaviour;
  switch (behaviour?.payments) {
    case 'succeed':
      return { status: 'succeeded', reason: null };
    case 'decline':
      return { status: 'declined', reason: behaviour.reason };
    case 'need_confirmation':
      return payerIsAway
        ? { status: 'declined', reason: 'authentication_required' }
        : { status: 'requires_action', reason: null };
    case undefined:
      return { status: 'declined', reason: 'payment_method_not_available' };
  }
}

function outcomeAt(payment: SandboxPayment | null): ChargeOutcome {
  if (!payment) throw upstreamFailed(new Error('the sandbox knows no such payment'));
  return chargeOutcome(payment);
}

function chargeOutcome({ status, id, reason, clientSecret }: SandboxPayment): ChargeOutcome {
  switch (status) {
    case 'succeeded':
      return { status, processorReference: id };
    case 'declined':
      return {
        status: reason === 'canceled' ? 'cancelled' : status,
        processorReference: id,
        reason: reason ?? 'card_declined',
      };
    case 'requires_action':
      return { status, processorReference: id, clientSecret };
  }
}

const reference = (kind: string): string => `${kind}_${newId().replaceAll('-', '')}`;

const secretOf = (id: string): string => `${id}_secret_${randomBytes(18).toString('base64url')}`;
