import { DomainError, invalid, notFound, type Violation } from '@platform/core';
import type { Acting } from '../../domain/acting.ts';
import type { PaymentMethod } from '../../domain/payments/wallet.ts';
import type { PaymentParts } from './payment-parts.ts';
import { refreshWallet } from './refresh-wallet.ts';

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
export const confirmInSandbox =
  (parts: PaymentParts) =>
  async (by: Acting, clientSecret: string, card: string): Promise<SandboxAnswer> => {
    if (!parts.sandbox) throw new DomainError({ kind: 'not_found' });
    const confirmed = await parts.sandbox.confirm(by.organisationId, clientSecret, card);
    switch (confirmed.status) {
      case 'set_up': {
        const { methods } = await refreshWallet(parts)(by);
        return {
          status: 'SUCCEEDED',
          reason: '',
          paymentMethod: methods.find(({ reference }) => reference === confirmed.reference) ?? null,
        };
      }
      case 'paid':
        await parts.paymentSettled({
          organisationId: by.organisationId,
          processorReference: confirmed.processorReference,
          status: 'succeeded',
          requestId: by.requestId,
        });
        return { status: 'SUCCEEDED', reason: '', paymentMethod: null };
      case 'declined':
        return { status: 'DECLINED', reason: confirmed.reason, paymentMethod: null };
      case 'unknown':
        throw notFound('Client secret');
      case 'unknown_card':
        throw invalid([unknownCard(confirmed.cards, card)]);
    }
  };

function unknownCard(cards: readonly string[], card: string): Violation {
  const names = cards.map((name) => `'${name}'`);
  const expected = `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
  return { type: 'enum', loc: ['body', 'card'], msg: `Input should be ${expected}`, input: card, ctx: { expected } };
}
