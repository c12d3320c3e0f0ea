import { newId, type Clock } from '@platform/core';
import type { Database, Knex } from '@platform/postgres';
import { randomBytes } from 'node:crypto';
import type { SandboxForm } from '../../app/payments/payment-parts.ts';
import type { ChargeOutcome } from '../../domain/payments/payment-processor.ts';
import type { PaymentProvider, ProviderCharge } from '../../domain/payments/payment-provider.ts';
import { describeCard, sandboxCards } from './sandbox-cards.ts';

export interface SandboxOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** The test card of organisations that have set nothing up; null: they cannot pay. */
  readonly cardUnlessSetUp: string | null;
}

/** The sandbox and its form, in one. */
export type SandboxProvider = PaymentProvider & SandboxForm;

type SandboxConfirmation = Awaited<ReturnType<SandboxForm['confirm']>>;

interface CardRow {
  id: string;
  organisation_id: string;
  card: string;
  attached_at: Date;
  detached_at: Date | null;
}

interface SetupRow {
  id: string;
  organisation_id: string;
  idempotency_key: string;
  client_secret: string;
  status: 'requires_payment_method' | 'succeeded';
  created_at: Date;
}

interface PaymentRow {
  id: string;
  organisation_id: string;
  idempotency_key: string;
  client_secret: string;
  card: string;
  amount: string;
  currency: string;
  description: string;
  status: ChargeOutcome['status'];
  reason: string | null;
  created_at: Date;
}

/** A payment company on our own tables that behaves like a real one, for development and tests. No money moves. */
export function sandboxProvider({ database, clock, cardUnlessSetUp }: SandboxOptions): SandboxProvider {
  return {
    name: 'sandbox',
    methodUnlessSetUp: cardUnlessSetUp,

    createCustomer: (organisationId) => Promise.resolve(`cus_sandbox_${organisationId}`),

    async createSetupIntent(payer, idempotencyKey) {
      const id = reference('seti');
      // Nobody could confirm it: the form is for members of an organisation.
      if (!payer) return { clientSecret: secretOf(id) };
      const { organisationId } = payer;
      return database.tenant(organisationId, async (trx) => {
        await trx<SetupRow>('sandbox_setup_intents')
          .insert({
            id,
            organisation_id: organisationId,
            idempotency_key: idempotencyKey,
            client_secret: secretOf(id),
            status: 'requires_payment_method',
            created_at: clock.now(),
          })
          .onConflict(['organisation_id', 'idempotency_key'])
          .ignore();
        const setup = await trx<SetupRow>('sandbox_setup_intents')
          .where({ organisation_id: organisationId, idempotency_key: idempotencyKey })
          .first();
        return { clientSecret: setup?.client_secret ?? '' };
      });
    },

    listPaymentMethods: ({ organisationId }) =>
      database.tenant(organisationId, async (trx) => {
        const cards = await trx<CardRow>('sandbox_cards')
          .where({ organisation_id: organisationId, detached_at: null })
          .orderBy('attached_at', 'desc');
        return cards.map(({ id, card }) => describeCard(id, card));
      }),

    detachPaymentMethod: ({ organisationId }, id) =>
      database.tenant(organisationId, async (trx) => {
        await trx<CardRow>('sandbox_cards')
          .where({ organisation_id: organisationId, id, detached_at: null })
          .update({ detached_at: clock.now() });
      }),

    charge: ({ organisationId }, charge) =>
      database.tenant(organisationId, async (trx) => {
        const id = reference('pi');
        const { status, reason } = await outcomeOf(trx, organisationId, charge);
        // The first one with this key counts, whatever became of it.
        await trx<PaymentRow>('sandbox_payments')
          .insert({
            id,
            organisation_id: organisationId,
            idempotency_key: charge.idempotencyKey,
            client_secret: secretOf(id),
            card: charge.paymentMethod,
            amount: charge.amount.toString(),
            currency: charge.currency,
            description: charge.description,
            status,
            reason,
            created_at: clock.now(),
          })
          .onConflict(['organisation_id', 'idempotency_key'])
          .ignore();
        const payment = await trx<PaymentRow>('sandbox_payments')
          .where({ organisation_id: organisationId, idempotency_key: charge.idempotencyKey })
          .first();
        if (!payment) throw new Error('a payment that was just written is not there');
        return chargeOutcome(payment);
      }),

    confirm: (organisationId, clientSecret, card) =>
      database.tenant(organisationId, async (trx) => {
        const key = { organisation_id: organisationId, client_secret: clientSecret };
        const payment = await trx<PaymentRow>('sandbox_payments').where(key).forUpdate().first();
        if (payment) return confirmPayment(trx, payment);
        const setup = await trx<SetupRow>('sandbox_setup_intents').where(key).forUpdate().first();
        return setup ? setUp(trx, setup, card, clock.now()) : { status: 'unknown' };
      }),
  };
}

async function setUp(trx: Knex.Transaction, setup: SetupRow, card: string, at: Date): Promise<SandboxConfirmation> {
  // Named after the set-up, so that repeating it finds the card it made.
  const made = setup.id.replace(/^seti_/, 'pm_');
  if (setup.status === 'succeeded') return { status: 'set_up', reference: made };
  if (!Object.hasOwn(sandboxCards, card)) return { status: 'unknown_card', cards: Object.keys(sandboxCards) };
  if (sandboxCards[card]?.setUp !== 'succeeds') return { status: 'declined', reason: 'card_declined' };
  const { organisation_id: organisationId, id } = setup;
  const attached = { id: made, organisation_id: organisationId, card, attached_at: at };
  await trx<CardRow>('sandbox_cards').insert(attached);
  await trx<SetupRow>('sandbox_setup_intents').where({ id }).update({ status: 'succeeded' });
  return { status: 'set_up', reference: made };
}

async function confirmPayment(trx: Knex.Transaction, payment: PaymentRow): Promise<SandboxConfirmation> {
  if (payment.status === 'declined') return { status: 'declined', reason: payment.reason ?? 'card_declined' };
  await trx<PaymentRow>('sandbox_payments').where({ id: payment.id }).update({ status: 'succeeded' });
  return { status: 'paid', processorReference: payment.id };
}

async function outcomeOf(
  trx: Knex.Transaction,
  organisationId: string,
  { paymentMethod, payerIsAway = false }: ProviderCharge,
): Promise<Pick<PaymentRow, 'status' | 'reason'>> {
  const attached = await trx<CardRow>('sandbox_cards')
    .where({ organisation_id: organisationId, id: paymentMethod, detached_at: null })
    .first();
  const behaviour = sandboxCards[attached?.card ?? paymentMethod]?.behaviour;
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

function chargeOutcome({ status, id, reason, client_secret: clientSecret }: PaymentRow): ChargeOutcome {
  switch (status) {
    case 'succeeded':
      return { status, processorReference: id };
    case 'declined':
      return { status, processorReference: id, reason: reason ?? 'card_declined' };
    case 'requires_action':
      return { status, processorReference: id, clientSecret };
  }
}

const reference = (kind: string): string => `${kind}_${newId().replaceAll('-', '')}`;

const secretOf = (id: string): string => `${id}_secret_${randomBytes(18).toString('base64url')}`;
