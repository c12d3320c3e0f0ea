import { invalid, type ActorContext, type Violation } from '@platform-backend/core';
import { clientSecretNotFound, noSuchPath } from '../domain/errors.ts';
import type { SandboxForm } from '../domain/payment-provider.ts';
import type { PaymentMethod } from '../domain/wallet.ts';
import { paymentReported, type PaymentPorts } from './collect-payment.ts';
import { refreshWallet } from './wallets.ts';

export interface SandboxPorts extends PaymentPorts {
  /** Present where the provider is the sandbox. */
  readonly sandbox: SandboxForm | null;
}

export interface SandboxAnswer {
  readonly status: 'SUCCEEDED' | 'DECLINED';
  /** Empty unless declined. */
  readonly reason: string;
  /** What was set up; null where a payment was confirmed. */
  readonly paymentMethod: PaymentMethod | null;
}

/**
 * What a provider's own form does in a payer's browser, for the sandbox, which has none: sets a card up, or confirms a
 * payment. Repeating it is safe. NOT_FOUND: there is no sandbox here, or nothing with this secret.
 * INVALID: there is no such card.
 */
export async function confirmInSandbox(
  ports: SandboxPorts,
  by: ActorContext,
  clientSecret: string,
  card: string,
): Promise<SandboxAnswer> {
  if (!ports.sandbox) throw noSuchPath();
  const confirmed = await ports.sandbox.confirm(by.organisationId, clientSecret, card);
  switch (confirmed.status) {
    case 'set_up': {
      const { methods } = await refreshWallet(ports, by);
      const paymentMethod = methods.find(({ reference }) => reference === confirmed.reference) ?? null;
      return { status: 'SUCCEEDED', reason: '', paymentMethod };
    }
    case 'paid': {
      const { processorReference } = confirmed;
      const payment = await ports.payments.find(null, processorReference);
      if (payment) await paymentReported(ports, payment, { status: 'succeeded', processorReference });
      return { status: 'SUCCEEDED', reason: '', paymentMethod: null };
    }
    case 'declined':
      return { status: 'DECLINED', reason: confirmed.reason, paymentMethod: null };
    case 'unknown':
      throw clientSecretNotFound();
    case 'unknown_card':
      throw invalid([unknownCard(confirmed.cards, card)]);
  }
}

function unknownCard(cards: readonly string[], card: string): Violation {
  const names = cards.map((name) => `'${name}'`);
  const expected = `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
  return { type: 'enum', loc: ['body', 'card'], msg: `Input should be ${expected}`, input: card, ctx: { expected } };
}
