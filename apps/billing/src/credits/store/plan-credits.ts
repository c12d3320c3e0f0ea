import { newId, type ActorContext } from '@platform-backend/core';
import type { Knex } from '@platform-backend/postgres';
import { grantAndTakeBack, takeBackCredits } from '../domain/credit-account.ts';
import { lockHoldings, saveDecision } from './credit-holding-rows.ts';

/** Spent after what everybody gets and before presents and what was bought: they expire with their cycle. */
const priority = 15;

/** Credits that were taken back, in micros, and why, for the ledger. */
export interface TakenBack {
  readonly purpose: string;
  readonly amount: bigint;
}

/**
 * Gives what comes with a plan, as part of a transaction: once for its source. `takenAtOnce` says what of it is taken back as it comes,
 * and is asked while nobody else moves the account.
 */
export async function givePlanCredits(
  trx: Knex.Transaction,
  by: ActorContext,
  { source, amount, expiresAt }: { readonly source: string; readonly amount: bigint; readonly expiresAt: Date },
  takenAtOnce: () => Promise<readonly TakenBack[]>,
  at: Date,
): Promise<void> {
  const holdings = await lockHoldings(trx, by, at);
  if (await grantOf(trx, by, source)) return;
  const grant = {
    ...{ id: newId(), transactionId: newId(), kind: 'PLAN' as const, priority },
    ...{ source, amount, expiresAt },
  };
  const takenBack = (await takenAtOnce()).map((taken) => ({ ...taken, source, transactionId: newId() }));
  await saveDecision(trx, by, holdings, grantAndTakeBack(holdings, by.organisationId, grant, takenBack, at));
}

/** Takes back what was granted for something, also where it is spent. */
export async function takeGranted(
  trx: Knex.Transaction,
  by: ActorContext,
  taken: TakenBack & { readonly source: string },
  at: Date,
): Promise<void> {
  const holdings = await lockHoldings(trx, by, at);
  // Of a grant that is spent as well: whoever takes back the rest of it counts what was taken.
  const given = await grantOf(trx, by, taken.source);
  const takenBack = { ...taken, transactionId: newId(), grantId: given?.id };
  await saveDecision(trx, by, holdings, takeBackCredits(holdings, by.organisationId, takenBack, at));
}

const grantOf = (trx: Knex.Transaction, { organisationId }: ActorContext, source: string) =>
  trx('credit_grants').where({ organisation_id: organisationId, source }).first<{ id: string } | undefined>('id');
