import type { Acting } from '../../domain/acting.ts';
import { openWallet } from './open-wallet.ts';
import type { PaymentParts } from './payment-parts.ts';

/**
 * A secret with which the frontend registers a payment method directly at the provider. Null: somebody without a
 * credential, whom a deployment lets in; what is set up belongs to nobody, and no request can ever name or charge it.
 */
export const createSetupIntent =
  (parts: PaymentParts) =>
  async (by: Acting | null): Promise<string> => {
    const payer = by && (await openWallet(parts, by.organisationId));
    const { clientSecret } = await parts.provider.createSetupIntent(payer, parts.newId());
    return clientSecret;
  };
