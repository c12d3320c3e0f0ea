import type { Acting } from '../../domain/acting.ts';
import { reconcileWallet, type Wallet } from '../../domain/payments/wallet.ts';
import { openWallet } from './open-wallet.ts';
import type { PaymentParts } from './payment-parts.ts';

/** Brings what we know to what the provider has attached now. Safe at any time, in any order, by anybody. */
export const refreshWallet =
  (parts: Pick<PaymentParts, 'wallets' | 'provider' | 'clock' | 'newId'>) =>
  async (by: Acting): Promise<Wallet> => {
    const wallet = await openWallet(parts, by.organisationId);
    const found = await parts.provider.listPaymentMethods(wallet);
    return parts.wallets.update(by, (known) => reconcileWallet(known, found, parts.newId, parts.clock.now()));
  };
