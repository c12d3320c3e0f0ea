import { conflict, notFound } from '@platform/core';
import { unchanged, type BillingEvent, type Decision } from '../billing-event.ts';
import type { Payer, ProviderPaymentMethod } from './payment-provider.ts';

export interface PaymentMethod extends ProviderPaymentMethod {
  /** Ours; the provider's name for it is never shown. */
  readonly id: string;
  readonly isDefault: boolean;
  readonly createdAt: Date;
}

/** What an organisation pays with: a customer at the provider, and what is attached to it. */
export interface Wallet extends Payer {
  /** Newest first. At most one is the default; exactly one, unless there is none at all. */
  readonly methods: readonly PaymentMethod[];
}

/** The payment method with this id. NOT_FOUND: none, or another organisation's. */
export function methodOf(wallet: Wallet | null, id: string): PaymentMethod {
  const method = wallet?.methods.find((known) => known.id === id);
  if (!method) throw notFound('Payment method');
  return method;
}

/**
 * Takes over what the provider says is attached. It may be told twice and late, as every look is at the present
 * state. The first payment method becomes the default.
 */
export function reconcileWallet(
  wallet: Wallet,
  found: readonly ProviderPaymentMethod[],
  newId: () => string,
  at: Date,
): Decision<Wallet> {
  const known = new Map(wallet.methods.map((method) => [method.reference, method]));
  const references = new Set(found.map(({ reference }) => reference));
  const attached = found
    .filter(({ reference }) => !known.has(reference))
    .map((method): PaymentMethod => ({ ...method, id: newId(), isDefault: false, createdAt: at }));
  const detached = wallet.methods.filter(({ reference }) => !references.has(reference));
  if (attached.length === 0 && detached.length === 0) return unchanged(wallet);
  const state = withDefault({
    ...wallet,
    methods: [...attached, ...wallet.methods.filter((method) => !detached.includes(method))],
  });
  return {
    state,
    events: [
      ...attached.map((method) => attachedEvent(method, at)),
      ...detached.map((method) => detachedEvent(method, at)),
    ],
    result: state,
  };
}

/** Makes a payment method the one that is charged unless another is named. NOT_FOUND: none with this id. */
export function makeDefault(wallet: Wallet, id: string): Decision<Wallet, PaymentMethod> {
  const method = methodOf(wallet, id);
  if (method.isDefault) return { ...unchanged(wallet), result: method };
  const methods = wallet.methods.map((known) => ({ ...known, isDefault: known.id === id }));
  return { state: { ...wallet, methods }, events: [], result: { ...method, isDefault: true } };
}

/** CONFLICT: the subscription renews with it, and there would be nothing to pay with. NOT_FOUND: none with this id. */
export function requireDetachable(wallet: Wallet | null, id: string, subscriptionRenews: boolean): PaymentMethod {
  const method = methodOf(wallet, id);
  if (subscriptionRenews && method.isDefault) {
    throw conflict('payment_method_in_use', 'The subscription renews with this payment method');
  }
  return method;
}

/** Forgets a payment method that the provider has detached; the newest of the others becomes the default. */
export function forgetMethod(wallet: Wallet, id: string, at: Date): Decision<Wallet> {
  const method = wallet.methods.find((known) => known.id === id);
  if (!method) return unchanged(wallet);
  const state = withDefault({ ...wallet, methods: wallet.methods.filter((known) => known !== method) });
  return { state, events: [detachedEvent(method, at)], result: state };
}

function withDefault(wallet: Wallet): Wallet {
  if (wallet.methods.some(({ isDefault }) => isDefault)) return wallet;
  return { ...wallet, methods: wallet.methods.map((method, index) => ({ ...method, isDefault: index === 0 })) };
}

const attachedEvent = ({ id, kind, brand, lastFour }: PaymentMethod, at: Date): BillingEvent => ({
  name: 'payment_method.attached',
  subject: id,
  at,
  data: { payment_method_id: id, kind, brand, last_four: lastFour },
});

const detachedEvent = ({ id }: PaymentMethod, at: Date): BillingEvent => ({
  name: 'payment_method.detached',
  subject: id,
  at,
  data: { payment_method_id: id },
});
