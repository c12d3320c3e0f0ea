import {
  asPreparation,
  DomainError,
  newId,
  unchanged,
  type ActorContext,
  type Clock,
  type Decision,
} from '@platform-backend/core';
import { systemActor, type BillingEvent } from '../../events.ts';
import { CustomerGone, type PaymentProvider } from '../domain/payment-provider.ts';
import { reconcileWallet, withCustomer, type PaymentMethod, type Wallet } from '../domain/wallet.ts';
import type { Wallets } from '../domain/wallets.ts';

export interface WalletPorts {
  readonly wallets: Wallets;
  readonly provider: PaymentProvider;
  readonly clock: Clock;
  /** Tells those who wait for a payment that there is something else to pay with. */
  readonly defaultChanged: (organisationId: string) => Promise<void>;
}

/** The organisation's wallet; the first time it becomes a customer of the provider. */
export async function openWallet({ wallets, provider, clock }: WalletPorts, organisationId: string): Promise<Wallet> {
  const known = await wallets.get(organisationId);
  if (known) return known;
  return asPreparation(async () =>
    wallets.open(organisationId, await provider.createCustomer(organisationId, null), clock.now()),
  );
}

export const isCustomerGone = (error: unknown): boolean => error instanceof CustomerGone;

/** Makes the organisation a customer again whom the provider has deleted. Repeating it is safe. */
export async function reopenWallet(
  { wallets, provider, clock }: WalletPorts,
  { organisationId, customer: gone }: Wallet,
): Promise<Wallet> {
  return asPreparation(async () => {
    const customer = await provider.createCustomer(organisationId, gone);
    return wallets.update(systemActor(organisationId, newId()), (known) =>
      withCustomer(known, gone, customer, clock.now()),
    );
  });
}

/** Does something with a wallet, and with a new one where the provider has deleted its customer. */
export async function asCustomer<Answer>(
  ports: WalletPorts,
  organisationId: string,
  act: (wallet: Wallet) => Promise<Answer>,
): Promise<Answer> {
  const wallet = await openWallet(ports, organisationId);
  try {
    return await act(wallet);
  } catch (error) {
    if (!isCustomerGone(error)) throw error;
    return act(await reopenWallet(ports, wallet));
  }
}

/** Where the card was issued that would be charged: the one named, else the default. Null: nobody says, or there is none. */
export async function cardCountry(
  ports: WalletPorts,
  organisationId: string,
  paymentMethodId: string | null,
): Promise<string | null> {
  const wallet = await ports.wallets.get(organisationId);
  const isIt = ({ id, isDefault }: PaymentMethod) => (paymentMethodId === null ? isDefault : id === paymentMethodId);
  const method = wallet?.methods.find(isIt);
  if (method || !wallet) return method?.country ?? null;
  // It may have been set up a moment ago, and nobody has told us yet.
  const refreshed = await refreshWallet(ports, systemActor(organisationId, newId())).catch((error: unknown) => {
    if (error instanceof DomainError) return wallet;
    throw error;
  });
  return refreshed.methods.find(isIt)?.country ?? null;
}

const defaultOf = ({ methods }: Wallet): string | undefined => methods.find(({ isDefault }) => isDefault)?.id;

/** Brings what we know to what the provider has attached now. Safe at any time, in any order, by anybody. */
export async function refreshWallet(ports: WalletPorts, by: ActorContext): Promise<Wallet> {
  for (;;) {
    const seen = await asCustomer(ports, by.organisationId, async (wallet) => ({
      before: defaultOf(wallet),
      version: wallet.version,
      found: await ports.provider.listPaymentMethods(wallet),
    }));
    const refreshed = await ports.wallets.update(by, (known): Decision<Wallet, BillingEvent, Wallet | null> =>
      // What has changed since is newer than what was seen: one that was detached meanwhile would come back.
      known.version === seen.version
        ? reconcileWallet(known, seen.found, newId, ports.clock.now())
        : { ...unchanged(known), result: null },
    );
    if (!refreshed) continue;
    const after = defaultOf(refreshed);
    if (after !== undefined && after !== seen.before) await ports.defaultChanged(by.organisationId);
    return refreshed;
  }
}
