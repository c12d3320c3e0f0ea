import { newId, type ActorContext } from '@platform-backend/core';
import type { Knex } from '@platform-backend/postgres';
import { grantCredits, takeBackCredits } from '../domain/credit-account.ts';
import { grantOnce } from './credit-accounts-store.ts';
import { lockHoldings, saveDecision } from './credit-holding-rows.ts';

/** Spent after what everybody gets and before presents and what was bought: they expire with their cycle. */
const priority = 15;

/** Gives what comes with a plan, as part of a transaction: once for its source. */
export async function givePlanCredits(
  trx: Knex.Transaction,
  by: ActorContext,
  { source, amount, expiresAt }: { readonly source: string; readonly amount: bigint; readonly expiresAt: Date },
  at: Date,
): Promise<void> {
  const grant = {
    ...{ id: newId(), transactionId: newId(), kind: 'PLAN' as const, priority },
    source,
    amount,
    expiresAt,
  };
  await grantOnce(trx, by, source, at, (holdings) => grantCredits(holdings, grant, at));
}

/** Takes back what came with a plan, also where it is spent. */
export async function takePlanCredits(
  trx: Knex.Transaction,
  by: ActorContext,
  taken: { readonly source: string; readonly amount: bigint; readonly purpose: string },
  at: Date,
): Promise<void> {
  const holdings = await lockHoldings(trx, by, at);
  // Of a grant that is spent as well: whoever takes back the rest of it counts what was taken.
  const named = { organisation_id: by.organisationId, source: taken.source };
  const given = await trx('credit_grants').where(named).first<{ id: string } | undefined>('id');
  const takenBack = { ...taken, transactionId: newId(), grantId: given?.id };
  await saveDecision(trx, by, holdings, takeBackCredits(holdings, by.organisationId, takenBack, at));
}
