import { systemActor } from '../../events.ts';
import type { Charge, ChargeOutcome, PaymentProcessor } from '../domain/payment-processor.ts';
import { methodOf, type Wallet } from '../domain/wallet.ts';
import { openWallet, refreshWallet, type WalletPorts } from './wallets.ts';

/** Charges organisations with what they have set up at the provider. */
export const paymentProcessor = (ports: WalletPorts): PaymentProcessor => ({
  async charge({ organisationId, paymentMethodId, ...charge }: Charge): Promise<ChargeOutcome> {
    const { wallets, provider } = ports;
    const { idempotencyKey } = charge;
    const wallet = await openWallet(ports, organisationId);
    const method =
      (await wallets.pinnedMethod(organisationId, idempotencyKey)) ??
      (paymentMethodId === undefined
        ? await defaultMethod(ports, wallet, idempotencyKey)
        : methodOf(wallet, paymentMethodId).reference);
    if (method === null) return { status: 'declined', processorReference: '', reason: 'payment_method_required' };
    const paymentMethod = await wallets.pinMethod(organisationId, idempotencyKey, method);
    return provider.charge(wallet, { ...charge, paymentMethod });
  },
});

/** One may have been set up a moment ago, and nobody has told us yet. */
async function defaultMethod(ports: WalletPorts, wallet: Wallet, requestId: string): Promise<string | null> {
  const known = wallet.methods.find(({ isDefault }) => isDefault);
  if (known) return known.reference;
  const { methods } = await refreshWallet(ports, systemActor(wallet.organisationId, requestId));
  return methods.find(({ isDefault }) => isDefault)?.reference ?? ports.provider.methodUnlessSetUp;
}
