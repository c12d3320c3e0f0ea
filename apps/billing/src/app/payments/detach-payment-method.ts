import type { Acting } from '../../domain/acting.ts';
import { forgetMethod, requireDetachable } from '../../domain/payments/wallet.ts';
import type { PaymentParts } from './payment-parts.ts';

/**
 * Removes a payment method, at the provider first: should we end in between, the next look finds it gone there.
 * CONFLICT: the subscription renews with it. NOT_FOUND: none with this id.
 */
export const detachPaymentMethod =
  ({ wallets, subscriptions, provider, clock }: PaymentParts) =>
  async (by: Acting, id: string): Promise<string> => {
    const subscription = await subscriptions.get(by.organisationId);
    const renews = subscription?.status === 'ACTIVE' || subscription?.status === 'PAST_DUE';
    const wallet = await wallets.get(by.organisationId);
    const method = requireDetachable(wallet, id, renews);
    if (wallet) await provider.detachPaymentMethod(wallet, method.reference);
    await wallets.update(by, (known) => forgetMethod(known, id, clock.now()));
    return id;
  };
