import { billingItself } from '../../domain/acting.ts';
import type { Charge, ChargeOutcome, PaymentProcessor } from '../../domain/payments/payment-processor.ts';
import { methodOf, type Wallet } from '../../domain/payments/wallet.ts';
import { openWallet } from './open-wallet.ts';
import type { PaymentParts } from './payment-parts.ts';
import { refreshWallet } from './refresh-wallet.ts';

/** Charges organisations with what they have set up at the provider. */
export const paymentProcessor = (
  parts: Pick<PaymentParts, 'wallets' | 'provider' | 'clock' | 'newId'>,
): PaymentProcessor => ({
  async charge({ organisationId, paymentMethodId, ...charge }: Charge): Promise<ChargeOutcome> {
    const { wallets, provider } = parts;
    const { idempotencyKey } = charge;
    const wallet = await openWallet(parts, organisationId);
    const method =
      (await wallets.pinnedMethod(organisationId, idempotencyKey)) ??
      (paymentMethodId === undefined
        ? await usualMethod(parts, wallet, idempotencyKey)
        : methodOf(wallet, paymentMethodId).reference);
    if (method === null) return { status: 'declined', processorReference: '', reason: 'payment_method_required' };
    const paymentMethod = await wallets.pinMethod(organisationId, idempotencyKey, method);
    return provider.charge(wallet, { ...charge, paymentMethod });
  },
});

/** The default; one may have been set up a moment ago, and nobody has told us yet. */
async function usualMethod(
  parts: Pick<PaymentParts, 'wallets' | 'provider' | 'clock' | 'newId'>,
  wallet: Wallet,
  requestId: string,
): Promise<string | null> {
  const known = wallet.methods.find(({ isDefault }) => isDefault);
  if (known) return known.reference;
  const { methods } = await refreshWallet(parts)(billingItself(wallet.organisationId, requestId));
  return methods.find(({ isDefault }) => isDefault)?.reference ?? parts.provider.methodUnlessSetUp;
}
