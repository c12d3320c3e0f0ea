import type { Acting } from '../../domain/acting.ts';
import type { PaymentMethod } from '../../domain/payments/wallet.ts';
import type { PaymentParts } from './payment-parts.ts';
import { refreshWallet } from './refresh-wallet.ts';

/** What is attached, newest first, as the provider has it now. */
export const listPaymentMethods =
  (parts: PaymentParts) =>
  async (by: Acting): Promise<readonly PaymentMethod[]> => {
    // Who never set anything up is no customer, and looking does not make them one.
    if (!(await parts.wallets.get(by.organisationId))) return [];
    return (await refreshWallet(parts)(by)).methods;
  };
