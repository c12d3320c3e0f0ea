import type { CreditAccount } from '../domain/credit-account.ts';
import type { Debit } from '../domain/debit.ts';
import type { CreditReservation } from '../domain/reservation.ts';

/*
 * What reserving, settling, releasing and debiting do to an account. The store does it in statements (credit-statements.ts), since
 * nobody can wait for a decision made elsewhere while an account is locked; a test holds the two equal.
 */

export type Refusal = 'too_few' | 'expiry_due';

/** Sets credits aside. With the last of them the account is exhausted. */
export function reserveFrom(account: CreditAccount, amount: bigint, at: Date): CreditAccount | Refusal {
  if (account.nextExpiryAt !== null && account.nextExpiryAt <= at) return 'expiry_due';
  if (account.available < amount) return 'too_few';
  const available = account.available - amount;
  return {
    ...account,
    available,
    reserved: account.reserved + amount,
    exhausted: account.exhausted || available === 0n,
  };
}

/** Takes what was spent of an open reservation and gives back the rest; at most what was reserved. */
export function settleIn(
  account: CreditAccount,
  { amount }: CreditReservation,
  spent: bigint,
  at: Date,
): CreditAccount {
  const taken = { ...account, reserved: account.reserved - amount, undrawn: account.undrawn + spent };
  return amount > spent ? givenBack(taken, amount - spent, at) : taken;
}

/** Gives back all of an open reservation. */
export const releaseIn = (account: CreditAccount, { amount }: CreditReservation, at: Date): CreditAccount =>
  givenBack({ ...account, reserved: account.reserved - amount }, amount, at);

/**
 * Books what work has cost, whatever there is: what is still set aside for it goes into it, and the rest of that is given
 * back. With the last credits the account is exhausted.
 */
export function debitFrom(
  account: CreditAccount,
  { amount }: Pick<Debit, 'amount'>,
  reservation: Pick<CreditReservation, 'amount'> | undefined,
  at: Date,
): CreditAccount {
  const reserved = reservation?.amount ?? 0n;
  const available = account.available + reserved - amount;
  const isGivenBack = reserved > amount;
  return {
    ...account,
    available,
    reserved: account.reserved - reserved,
    undrawn: account.undrawn + amount,
    exhausted: available <= 0n || (account.exhausted && !isGivenBack),
    nextExpiryAt: account.expiryHeld && isGivenBack ? at : account.nextExpiryAt,
  };
}

/** What comes back to an expired grant that still backed it has expired by then. */
const givenBack = (account: CreditAccount, amount: bigint, at: Date): CreditAccount => ({
  ...account,
  available: account.available + amount,
  exhausted: false,
  nextExpiryAt: account.expiryHeld ? at : account.nextExpiryAt,
});
