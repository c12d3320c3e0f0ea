import type { Wallet } from '../../domain/payments/wallet.ts';
import type { PaymentParts } from './payment-parts.ts';

/** The organisation's wallet; the first time it becomes a customer of the provider. */
export async function openWallet(
  { wallets, provider, clock }: Pick<PaymentParts, 'wallets' | 'provider' | 'clock'>,
  organisationId: string,
): Promise<Wallet> {
  const known = await wallets.get(organisationId);
  return known ?? wallets.open(organisationId, await provider.createCustomer(organisationId), clock.now());
}
