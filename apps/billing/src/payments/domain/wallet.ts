import { unchanged, type Decision } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import { paymentMethodInUse, paymentMethodNotFound, tooManyPaymentMethods } from './errors.ts';
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
  /** The set-up of a payment method that was told last. */
  readonly lastSetupId: string | null;
  /** Grows with every change. */
  readonly version: bigint;
}

/** The payment method with this id. NOT_FOUND: none, or another organisation's. */
export function methodOf(wallet: Wallet | null, id: string): PaymentMethod {
  const method = wallet?.methods.find((known) => known.id === id);
  if (!method) throw paymentMethodNotFound();
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
): Decision<Wallet, BillingEvent> {
  const known = new Map(wallet.methods.map((method) => [method.reference, method]));
  const references = new Set(found.map(({ reference }) => reference));
  const attached = found
    .filter(({ reference }) => !known.has(reference))
    .map((method): PaymentMethod => ({ ...method, id: newId(), isDefault: false, createdAt: at }));
  const detached = wallet.methods.filter(({ reference }) => !references.has(reference));
  const countries = new Map(found.map(({ reference, country }) => [reference, country]));
  // Those of the release before have none.
  const learned = wallet.methods.some(({ reference, country }) => country !== (countries.get(reference) ?? country));
  if (attached.length === 0 && detached.length === 0 && !learned) return unchanged(wallet);
  const kept = wallet.methods.filter((method) => !detached.includes(method));
  const state = withDefault({
    ...wallet,
    methods: [
      ...attached,
      ...kept.map((method) => ({ ...method, country: countries.get(method.reference) ?? method.country })),
    ],
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

/** With another customer in place of one that the provider has deleted, with all that it could pay with. */
export function withCustomer(wallet: Wallet, gone: string, customer: string, at: Date): Decision<Wallet, BillingEvent> {
  if (wallet.customer !== gone) return unchanged(wallet);
  const state: Wallet = { ...wallet, customer, methods: [] };
  return { state, events: wallet.methods.map((method) => detachedEvent(method, at)), result: state };
}

/** More than anybody pays with, and few enough to be shown and looked through as a whole. */
export const maxPaymentMethods = 20;

/** CONFLICT: there are so many that one has to go before another comes. */
export function requireRoomForMethod({ methods }: Wallet): void {
  if (methods.length < maxPaymentMethods) return;
  throw tooManyPaymentMethods({ max: maxPaymentMethods });
}

/** Makes a payment method the one that is charged unless another is named. NOT_FOUND: none with this id. */
export function makeDefault(wallet: Wallet, id: string, at: Date): Decision<Wallet, BillingEvent, PaymentMethod> {
  const method = methodOf(wallet, id);
  if (method.isDefault) return { ...unchanged(wallet), result: method };
  const former = wallet.methods.find(({ isDefault }) => isDefault);
  const methods = wallet.methods.map((known) => ({ ...known, isDefault: known.id === id }));
  const changed: BillingEvent = {
    name: 'payment_method.default_changed',
    subject: id,
    at,
    data: { payment_method_id: id, former_payment_method_id: former?.id ?? null },
    change: { before: former ? { id: former.id, ...shown(former) } : null, after: { id, ...shown(method) } },
  };
  return { state: { ...wallet, methods }, events: [changed], result: { ...method, isDefault: true } };
}

/**
 * Somebody sets up something to pay with; it is attached once its payer has confirmed it at the provider. Told once, also when
 * the call is repeated because its answer was lost.
 */
export function setupStarted(wallet: Wallet, setupId: string, at: Date): Decision<Wallet, BillingEvent> {
  if (wallet.lastSetupId === setupId) return unchanged(wallet);
  const state: Wallet = { ...wallet, lastSetupId: setupId };
  const started: BillingEvent = {
    name: 'payment_method.setup_started',
    subject: setupId,
    at,
    data: { setup_id: setupId },
    change: { before: null, after: { setup_id: setupId } },
  };
  return { state, events: [started], result: state };
}

/** CONFLICT: the subscription renews with it, and there would be nothing to pay with. NOT_FOUND: none with this id. */
export function requireDetachable(wallet: Wallet | null, id: string, subscriptionRenews: boolean): PaymentMethod {
  const method = methodOf(wallet, id);
  if (subscriptionRenews && method.isDefault) {
    throw paymentMethodInUse();
  }
  return method;
}

/** Forgets a payment method that the provider has detached; the newest of the others becomes the default. */
export function forgetMethod(wallet: Wallet, id: string, at: Date): Decision<Wallet, BillingEvent> {
  const method = wallet.methods.find((known) => known.id === id);
  if (!method) return unchanged(wallet);
  const state = withDefault({ ...wallet, methods: wallet.methods.filter((known) => known !== method) });
  return { state, events: [detachedEvent(method, at)], result: state };
}

function withDefault(wallet: Wallet): Wallet {
  if (wallet.methods.some(({ isDefault }) => isDefault)) return wallet;
  return { ...wallet, methods: wallet.methods.map((method, index) => ({ ...method, isDefault: index === 0 })) };
}

const attachedEvent = (method: PaymentMethod, at: Date): BillingEvent => ({
  name: 'payment_method.attached',
  subject: method.id,
  at,
  data: { payment_method_id: method.id, ...shown(method) },
  change: { before: null, after: shown(method) },
});

const detachedEvent = (method: PaymentMethod, at: Date): BillingEvent => ({
  name: 'payment_method.detached',
  subject: method.id,
  at,
  data: { payment_method_id: method.id },
  change: { before: shown(method), after: null },
});

const shown = ({ kind, brand, lastFour }: PaymentMethod) => ({ kind, brand, last_four: lastFour });
