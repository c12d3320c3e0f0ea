import type { Acting } from '../../domain/acting.ts';
import { openWallet } from './open-wallet.ts';
import type { PaymentParts } from './payment-parts.ts';

/** A secret with which the frontend registers a payment method directly at the provider. */
export const createSetupIntent =
  (parts: PaymentParts) =>
  async (by: Acting): Promise<string> => {
    const wallet = await openWallet(parts, by.organisationId);
    const { clientSecret } = await parts.provider.createSetupIntent(wallet, parts.newId());
    return clientSecret;
  };
