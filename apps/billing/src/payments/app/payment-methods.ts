import { idOfKey, newId, type ActorContext } from '@platform-backend/core';
import {
  forgetMethod,
  makeDefault,
  requireDetachable,
  requireRoomForMethod,
  setupStarted,
  type PaymentMethod,
  type Wallet,
} from '../domain/wallet.ts';
import { confirmInSandbox, type SandboxPorts } from './confirm-in-sandbox.ts';
import { countWithinLimit } from './limit-payments.ts';
import { receiveProviderEvent, type ProviderEventPorts } from './receive-provider-event.ts';
import { asCustomer, refreshWallet, type WalletPorts } from './wallets.ts';

export interface PaymentMethodPorts extends WalletPorts {
  /** Whether the organisation will be charged again, with what it has set up. */
  readonly isChargedAgain: (organisationId: string) => Promise<boolean>;
}

/** What can be done with payment methods. */
export const paymentMethodUseCases = (ports: PaymentMethodPorts & SandboxPorts & ProviderEventPorts) => ({
  /**
   * A secret with which the frontend registers a payment method directly at the provider. Null: somebody without a
   * credential, whom a deployment lets in; what is set up belongs to nobody, and no request can ever name or charge it.
   * CONFLICT: there are as many payment methods as an organisation can have. RATE_LIMITED: too many were asked for.
   */
  async createSetupIntent(by: ActorContext | null): Promise<string> {
    const { provider, wallets, clock } = ports;
    const setUp = async (payer: Wallet | null) => {
      // The provider makes one of all attempts of the same request.
      const setupId = idOfKey(newId);
      const { clientSecret } = await provider.createSetupIntent(payer, setupId);
      return { setupId, clientSecret };
    };
    if (!by) return (await setUp(null)).clientSecret;
    await countWithinLimit(ports, by, 'setup_intents');
    const { setupId, clientSecret } = await asCustomer(ports, by.organisationId, (payer) => {
      requireRoomForMethod(payer);
      return setUp(payer);
    });
    await wallets.update(by, (wallet) => setupStarted(wallet, setupId, clock.now()));
    return clientSecret;
  },

  /** What is attached, newest first, as the provider has it now. */
  async listPaymentMethods(by: ActorContext): Promise<readonly PaymentMethod[]> {
    // Who never set anything up is no customer, and looking does not make them one.
    if (!(await ports.wallets.get(by.organisationId))) return [];
    return (await refreshWallet(ports, by)).methods;
  },

  /** Makes a payment method the one that is charged unless another is named. Repeating it is safe. */
  async setDefaultPaymentMethod(by: ActorContext, id: string): Promise<PaymentMethod> {
    const method = await ports.wallets.update(by, (wallet) => makeDefault(wallet, id, ports.clock.now()));
    await ports.defaultChanged(by.organisationId);
    return method;
  },

  detachPaymentMethod: (by: ActorContext, id: string) => detachPaymentMethod(ports, by, id),

  confirmInSandbox: (by: ActorContext, clientSecret: string, card: string) =>
    confirmInSandbox(ports, by, clientSecret, card),

  receiveProviderEvent: (payload: Buffer, signature: string, requestId: string) =>
    receiveProviderEvent(ports, payload, signature, requestId),
});

export type PaymentMethodUseCases = ReturnType<typeof paymentMethodUseCases>;

/**
 * Removes a payment method, at the provider first: should we end in between, the next look finds it gone there.
 * CONFLICT: the subscription renews with it. NOT_FOUND: none with this id.
 */
async function detachPaymentMethod(
  { wallets, isChargedAgain, provider, clock }: PaymentMethodPorts,
  by: ActorContext,
  id: string,
): Promise<string> {
  const renews = await isChargedAgain(by.organisationId);
  const wallet = await wallets.get(by.organisationId);
  const method = requireDetachable(wallet, id, renews);
  if (wallet) await provider.detachPaymentMethod(wallet, method.reference);
  await wallets.update(by, (known) => forgetMethod(known, id, clock.now()));
  return id;
}
