import { unchanged, type Decision } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import { creditsAdjusted, creditsExhausted, creditsExpired, creditsGranted } from './credit-events.ts';
import { drawDown, larger, smaller, spendingOrder, type CreditGrant, type CreditGrantKind } from './credit-grant.ts';
import { tooFewToAdjust, tooManyUnspentPurchases } from './errors.ts';
import type { LedgerTransaction } from './ledger.ts';

/**
 * What an organisation has. `available` + `reserved` is what is left of its grants, less `undrawn`. More may have been
 * spent than all of them gave, and then `available` is less than nothing until the next grant.
 */
export interface CreditAccount {
  readonly available: bigint;
  /** Set aside for work that is running. */
  readonly reserved: bigint;
  /** Spent, and not yet taken from the grants. */
  readonly undrawn: bigint;
  /** From then on grants have to be expired before anything can be reserved; null: none expires. */
  readonly nextExpiryAt: Date | null;
  /** An expired grant still backs open reservations; what they give back has expired. */
  readonly expiryHeld: boolean;
  /** Members were told that the credits ran out. */
  readonly exhausted: boolean;
}

/** An account with the grants of which something is left, and the ledger transactions that a change adds. */
export interface CreditHoldings {
  /** False for an organisation that has not got yet what everybody gets: something else may have come before. */
  readonly opened: boolean;
  readonly account: CreditAccount;
  readonly grants: readonly CreditGrant[];
  readonly transactions: readonly LedgerTransaction[];
}

export interface NewGrant {
  readonly id: string;
  readonly transactionId: string;
  readonly source: string;
  /** For the ledger, where somebody has said why; otherwise that says the source. */
  readonly reason?: string;
  readonly kind: CreditGrantKind;
  readonly amount: bigint;
  readonly priority: number;
  readonly expiresAt: Date | null;
}

/** All of them are looked through whenever one comes or goes. */
const maxUnspentGrants = 1_000;

/** CONFLICT: so many grants are not used up yet that another one shall not be bought. */
export function requireRoomForGrant({ grants }: CreditHoldings): void {
  if (grants.length < maxUnspentGrants) return;
  throw tooManyUnspentPurchases();
}

/** Adds credits. What was spent before is taken from the earlier grants first, whatever the new one's priority. */
export function grantCredits(
  holdings: CreditHoldings,
  wanted: NewGrant,
  at: Date,
): Decision<CreditHoldings, BillingEvent, CreditGrant> {
  const { id, source, kind, amount, priority, expiresAt } = wanted;
  if (amount <= 0n) throw new Error('a grant must give something');
  const { account, grants } = settled(holdings);
  const grant: CreditGrant = { id, source, kind, amount, remaining: amount, priority, expiresAt, createdAt: at };
  const available = account.available + amount;
  const transaction: LedgerTransaction = {
    id: wanted.transactionId,
    kind: kind === 'PURCHASE' ? 'PURCHASE' : 'GRANT',
    at,
    purpose: wanted.reason ?? source,
    grantId: id,
    availableAfter: available,
    entries: { issued: -amount, available: amount },
  };
  return {
    state: {
      opened: true,
      account: {
        ...account,
        available,
        exhausted: available <= 0n && account.exhausted,
        nextExpiryAt: earlier(account.nextExpiryAt, expiresAt),
      },
      grants: [...grants, grant],
      transactions: [transaction],
    },
    events: [creditsGranted(grant, wanted.reason)],
    result: grant,
  };
}

/**
 * Takes away what is left of grants whose time is over. Open reservations count as made from the grants that are
 * spent first, so they keep what they were promised; what they give back later expires then.
 */
export function expireCredits(
  holdings: CreditHoldings,
  organisationId: string,
  at: Date,
  newId: () => string,
): Decision<CreditHoldings, BillingEvent> {
  const { account, grants } = settled(holdings);
  const events: BillingEvent[] = [];
  const transactions: LedgerTransaction[] = [];
  let { available, reserved: held } = account;
  let expiryHeld = false;
  const left = grants.toSorted(spendingOrder).map((grant) => {
    const kept = smaller(grant.remaining, held);
    held -= kept;
    if (grant.expiresAt === null || grant.expiresAt > at) return grant;
    if (kept > 0n) expiryHeld = true;
    const lost = grant.remaining - kept;
    if (lost === 0n) return grant;
    available -= lost;
    transactions.push({
      id: newId(),
      kind: 'EXPIRE',
      at,
      purpose: grant.source,
      grantId: grant.id,
      availableAfter: available,
      entries: { available: -lost, expired: lost },
    });
    events.push(creditsExpired(grant, lost, at));
    return { ...grant, remaining: kept };
  });
  const state: CreditHoldings = {
    opened: true,
    account: {
      ...account,
      ...{ available, expiryHeld, nextExpiryAt: nextExpiry(left, at) },
      exhausted: account.exhausted || (available <= 0n && transactions.length > 0),
    },
    grants: left,
    transactions,
  };
  return { state, events: [...events, ...toldOfExhaustion(account, state.account, organisationId, at)], result: state };
}

/** A correction that takes credits away. */
export interface Adjustment {
  readonly transactionId: string;
  /** More than nothing, of which there has to be as much. */
  readonly amount: bigint;
  readonly reason: string;
}

/** Takes credits away in the order in which they are spent. CONFLICT: there are not as many. */
export function adjustCredits(
  holdings: CreditHoldings,
  organisationId: string,
  { transactionId, amount, reason }: Adjustment,
  at: Date,
): Decision<CreditHoldings, BillingEvent> {
  const { account } = holdings;
  if (account.available < amount) throw tooFewToAdjust({ available: account.available.toString() });
  const available = account.available - amount;
  const state: CreditHoldings = {
    ...holdings,
    account: {
      ...account,
      ...{ available, undrawn: account.undrawn + amount, exhausted: account.exhausted || available === 0n },
    },
    transactions: [
      {
        ...{ id: transactionId, kind: 'ADJUST', at, purpose: reason, grantId: null, availableAfter: available },
        entries: { available: -amount, issued: amount },
      },
    ],
  };
  const adjusted = creditsAdjusted(organisationId, -amount, available, reason, at);
  return {
    state,
    events: [adjusted, ...toldOfExhaustion(account, state.account, organisationId, at)],
    result: state,
  };
}

/** What can still be taken back of a grant: nothing that was spent or is set aside. */
export function unspentOf(holdings: CreditHoldings, source: string): CreditGrant | null {
  const { account, grants } = settled(holdings);
  const grant = grants.find((one) => one.source === source);
  return grant ? { ...grant, remaining: larger(0n, smaller(grant.remaining, account.available)) } : null;
}

/** Credits that are taken back, since their money is. */
export interface CreditsTakenBack {
  readonly transactionId: string;
  /** What they were bought with, as of the grant. */
  readonly source: string;
  readonly amount: bigint;
  /** For the ledger: `refund:<id>`. */
  readonly purpose: string;
  /** Of the grant, for the ledger, also where nothing is left of it. */
  readonly grantId?: string | undefined;
}

/** Takes back what is left of a grant; more than that counts as spent, and the account may have less than nothing then. */
export function takeBackCredits(
  holdings: CreditHoldings,
  organisationId: string,
  { transactionId, source, amount, purpose, grantId }: CreditsTakenBack,
  at: Date,
): Decision<CreditHoldings, BillingEvent> {
  const { account, grants } = settled(holdings);
  const grant = grants.find((one) => one.source === source);
  const ofGrant = smaller(grant?.remaining ?? 0n, amount);
  const available = account.available - amount;
  const state: CreditHoldings = {
    opened: true,
    account: {
      ...account,
      available,
      undrawn: account.undrawn + amount - ofGrant,
      exhausted: account.exhausted || available <= 0n,
    },
    grants: grants.map((one) => (one === grant ? { ...one, remaining: one.remaining - ofGrant } : one)),
    transactions: [
      {
        id: transactionId,
        kind: 'REFUND',
        at,
        purpose,
        grantId: grant?.id ?? grantId ?? null,
        availableAfter: available,
        entries: { available: -amount, refunded: amount },
      },
    ],
  };
  return { state, events: toldOfExhaustion(account, state.account, organisationId, at), result: state };
}

/**
 * Adds credits of which some are taken back as they come. The balance moves once, so that no threshold is crossed that only what comes and goes
 * again would cross.
 */
export function grantAndTakeBack(
  holdings: CreditHoldings,
  organisationId: string,
  wanted: NewGrant,
  takenBack: readonly CreditsTakenBack[],
  at: Date,
): Decision<CreditHoldings, BillingEvent> {
  let { state, events } = grantCredits(holdings, wanted, at);
  for (const taken of takenBack.filter(({ amount }) => amount > 0n)) {
    const after = takeBackCredits(state, organisationId, taken, at);
    state = { ...after.state, transactions: [...state.transactions, ...after.state.transactions] };
    // That they are gone was told, where that is so already.
    events = [...events, ...(holdings.account.exhausted ? [] : after.events)];
  }
  return { state, events, result: state };
}

/** That the last credits are gone, where they were not before. */
const toldOfExhaustion = (
  before: CreditAccount,
  after: CreditAccount,
  organisationId: string,
  at: Date,
): readonly BillingEvent[] =>
  after.exhausted && !before.exhausted ? [creditsExhausted(organisationId, after.available, at)] : [];

/** Tells members that an amount is more than there is: once, until there are credits again. */
export function tellExhausted(
  holdings: CreditHoldings,
  organisationId: string,
  wanted: bigint,
  at: Date,
): Decision<CreditHoldings, BillingEvent> {
  const { account } = holdings;
  if (account.exhausted || account.available >= wanted) return unchanged(holdings);
  const state = { ...holdings, account: { ...account, exhausted: true }, transactions: [] };
  return { state, events: [creditsExhausted(organisationId, account.available, at)], result: state };
}

/** What will be lost next, if nothing is spent until then. */
export function nextLoss({ account, grants }: CreditHoldings, at: Date): { at: Date; amount: bigint } | null {
  const left = drawDown(grants, account.undrawn).filter(({ remaining }) => remaining > 0n);
  const next = nextExpiry(left, at);
  if (next === null) return null;
  const amounts = left
    .filter(({ expiresAt }) => expiresAt?.getTime() === next.getTime())
    .map(({ remaining }) => remaining);
  return { at: next, amount: amounts.reduce((sum, amount) => sum + amount, 0n) };
}

/** The holdings with all that was spent taken from the grants; what they do not give is left for the next one. */
function settled({ account, grants }: CreditHoldings): Pick<CreditHoldings, 'account' | 'grants'> {
  const granted = grants.reduce((sum, { remaining }) => sum + remaining, 0n);
  const undrawn = account.undrawn - smaller(account.undrawn, granted);
  return { account: { ...account, undrawn }, grants: drawDown(grants, account.undrawn) };
}

function nextExpiry(grants: readonly CreditGrant[], after: Date): Date | null {
  return grants
    .filter(({ remaining, expiresAt }) => remaining > 0n && expiresAt !== null && expiresAt > after)
    .reduce<Date | null>((next, { expiresAt }) => earlier(next, expiresAt), null);
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}
