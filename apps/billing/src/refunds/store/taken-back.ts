import type { ActorContext } from '@platform-backend/core';
import type { Knex } from '@platform-backend/postgres';
import { unspentOf } from '../../credits/domain/credit-account.ts';
import { lockBalance, lockHoldings } from '../../credits/store/credit-holding-rows.ts';
import { takeGranted } from '../../credits/store/plan-credits.ts';
import { subscriptionChangeRunning } from '../../subscriptions/domain/errors.ts';
import { awaitsPayment } from '../../subscriptions/domain/pay-unpaid.ts';
import type { Subscription } from '../../subscriptions/domain/subscription.ts';
import { lockTopUp, stopAfterTakingBack, type TakenBackFor } from '../../top-ups/store/stop-top-up.ts';
import type { Unused } from '../domain/refund.ts';

/** What is not used of that for which an invoice was paid, locked until the end of the transaction. */
export async function unusedOf(
  trx: Knex.Transaction,
  by: ActorContext,
  { source, currency }: { readonly source: string; readonly currency: string },
  at: Date,
): Promise<Unused> {
  if (source.startsWith('purchase:')) {
    const grant = unspentOf(await lockHoldings(trx, by, at), source);
    if (!grant || (grant.expiresAt !== null && grant.expiresAt <= at))
      return { kind: 'credits', micros: 0n, boughtMicros: 0n };
    return { kind: 'credits', micros: grant.remaining, boughtMicros: grant.amount };
  }
  const subscription = await lockSubscription(trx, by.organisationId);
  const isSameCurrency = subscription?.agreed?.at(-1)?.currency === currency;
  if (!isSameCurrency) return { kind: 'balance', minor: 0n };
  const { status, unpaid_change_id: unpaidChangeId, credit_minor: minor } = subscription;
  // Given back, it would be counted against the price of the open invoice all the same.
  return { kind: 'balance', minor: awaitsPayment({ status, unpaidChangeId }) ? 0n : BigInt(minor) };
}

/** Takes back credits that were bought; more than is left of them is owed. Nothing is bought by itself for them. */
export async function takeCredits(
  trx: Knex.Transaction,
  by: ActorContext,
  taken: { readonly source: string; readonly amount: bigint; readonly purpose: string },
  why: TakenBackFor,
  at: Date,
): Promise<void> {
  if (taken.amount === 0n && !why.always) return;
  const { organisationId } = by;
  await lockBalance(trx, by, at);
  const topUp = await lockTopUp(trx, organisationId);
  if (taken.amount > 0n) await takeGranted(trx, by, taken, at);
  await stopAfterTakingBack(trx, by, topUp, why, at);
}

/** Takes so much of what a subscription has left over; gives it again where it is less than nothing. */
export async function takeBalance(trx: Knex.Transaction, organisationId: string, minor: bigint): Promise<void> {
  if (minor === 0n) return;
  await lockSubscription(trx, organisationId);
  await trx('subscriptions')
    .where({ organisation_id: organisationId })
    .update({ credit_minor: trx.raw('credit_minor - ?', [minor.toString()]) });
}

interface SubscriptionRow {
  status: Subscription['status'];
  unpaid_change_id: string | null;
  credit_minor: string;
  agreed: readonly { readonly currency: string }[] | null;
}

/** CONFLICT: a change is on its way, which ends with what was left over when it began. */
async function lockSubscription(trx: Knex.Transaction, organisationId: string): Promise<SubscriptionRow | undefined> {
  const of = { organisation_id: organisationId };
  const row = await trx('subscriptions').where(of).forUpdate().first<SubscriptionRow | undefined>();
  const open = await trx('subscription_changes').where(of).whereNot('state', 'done').first<object | undefined>('id');
  if (open) throw subscriptionChangeRunning();
  return row;
}
