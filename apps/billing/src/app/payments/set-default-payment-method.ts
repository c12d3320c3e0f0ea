import type { Acting } from '../../domain/acting.ts';
import { makeDefault, type PaymentMethod } from '../../domain/payments/wallet.ts';
import type { PaymentParts } from './payment-parts.ts';

/** Makes a payment method the one that is charged unless another is named. Repeating it is safe. */
export const setDefaultPaymentMethod =
  ({ wallets }: PaymentParts) =>
  (by: Acting, id: string): Promise<PaymentMethod> =>
    wallets.update(by, (wallet) => makeDefault(wallet, id));
