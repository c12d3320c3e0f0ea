import type { ActorContext, Clock } from '@platform-backend/core';
import type { PaymentProvider } from '../domain/payment-provider.ts';
import { reconcileWallet, type Wallet } from '../domain/wallet.ts';
import type { Wallets } from '../domain/wallets.ts';

export interface WalletPorts {
  readonly wallets: Wallets;
  readonly provider: PaymentProvider;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** The organisation's wallet; the first time it becomes a customer of the provider. */
export async function openWallet({ wallets, provider, clock }: WalletPorts, organisationId: string): Promise<Wallet> {
  const known = await wallets.get(organisationId);
  return known ?? wallets.open(organisationId, await provider.createCustomer(organisationId), clock.now());
}

/** Brings what we know to what the provider has attached now. Safe at any time, in any order, by anybody. */
export async function refreshWallet(ports: WalletPorts, by: ActorContext): Promise<Wallet> {
  const wallet = await openWallet(ports, by.organisationId);
  const found = await ports.provider.listPaymentMethods(wallet);
  return ports.wallets.update(by, (known) => reconcileWallet(known, found, ports.newId, ports.clock.now()));
}
