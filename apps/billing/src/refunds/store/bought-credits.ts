import { newId, type ActorContext } from '@platform-backend/core';
import type { Knex } from '@platform-backend/postgres';
import { grantCredits } from '../../credits/domain/credit-account.ts';
import { lockHoldings, saveDecision } from '../../credits/store/credit-holding-rows.ts';
import type { Payment } from '../../payments/domain/payment.ts';
import { creditsSoldBy, type SoldCredits } from '../../subscriptions/domain/plan-credits.ts';
import { sourceOfChange, type SubscriptionChange } from '../../subscriptions/domain/subscription-change.ts';
import { changeOfRow } from '../../subscriptions/store/subscription-columns.ts';
import type { TakenAtOnce } from '../../subscriptions/store/subscriptions-store.ts';
import { creditsOfPart } from '../domain/dispute.ts';

/** What a payment has bought: its invoice, and the credits that came with it. */
interface Bought {
  /** Of the invoice. */
  readonly source: string;
  readonly credits: readonly SoldCredits[];
}

interface ChangeRow {
  id: string;
  processor_reference: string | null;
  outcome: SubscriptionChange['outcome'];
  finished_at: Date | null;
}

export async function boughtWith(
  trx: Knex.Transaction,
  { organisationId, purpose, subjectId: id }: Payment,
): Promise<Bought> {
  if (purpose === 'CREDIT_PURCHASE') {
    return { source: `purchase:${id}`, credits: [{ source: `purchase:${id}`, amount: null }] };
  }
  const named = { organisation_id: organisationId, id };
  const row = await trx('subscription_changes').where(named).first<ChangeRow | undefined>();
  const change = row && changeOfRow(row);
  // It may have paid the invoice of another one, whose payment was refused.
  return {
    source: sourceOfChange(change?.paysInvoiceOf ?? id),
    credits: change && row.finished_at ? creditsSoldBy(change, row.finished_at) : [],
  };
}

/** Whether something was given for a payment: of several for one purchase or change it is for one of them alone. */
export async function isBooked(trx: Knex.Transaction, { organisationId, subjectId, reference, purpose }: Payment) {
  const named = { organisation_id: organisationId, id: subjectId, processor_reference: reference };
  const booked =
    purpose === 'CREDIT_PURCHASE'
      ? trx('credit_purchases').where({ ...named, status: 'SUCCEEDED' })
      : trx('subscription_changes').where({ ...named, outcome: 'accepted' });
  return (await booked.first<object | undefined>('id')) !== undefined;
}

interface GrantedCredits {
  readonly grantId: string;
  readonly source: string;
  readonly micros: bigint;
}

/**
 * What was granted of something that was bought, without what a change of the plan has taken back of it. Of what came with a cycle that is over
 * there is nothing left to take back.
 */
export async function grantedOf(
  trx: Knex.Transaction,
  organisationId: string,
  sold: readonly SoldCredits[],
  at: Date,
): Promise<readonly GrantedCredits[]> {
  const { rows } = await trx.raw<{ rows: { grant_id: string; source: string; micros: string }[] }>(
    `SELECT given.id AS grant_id, source, least(sold.micros, given.amount_micros - coalesce((
       SELECT sum(entry.amount_micros) FROM ledger_transactions AS moved
       JOIN ledger_entries AS entry ON entry.organisation_id = moved.organisation_id AND entry.transaction_id = moved.id
       WHERE moved.organisation_id = :organisationId AND moved.created_at >= given.created_at AND moved.grant_id = given.id
         AND moved.purpose LIKE 'plan_change:%' AND entry.account = 'refunded'), 0)) AS micros
     FROM credit_grants AS given JOIN unnest(:sources::text[], :amounts::bigint[]) AS sold (source, micros) USING (source)
     WHERE organisation_id = :organisationId AND (kind = 'PURCHASE' OR expires_at > :at)`,
    {
      ...{ organisationId, at },
      sources: sold.map(({ source }) => source),
      amounts: sold.map(({ amount }) => amount?.toString() ?? null),
    },
  );
  return rows.map(({ grant_id: grantId, source, micros }) => ({ grantId, source, micros: BigInt(micros) }));
}

/** Refunds that have not failed and disputes that are not won. */
const givenBack = `
  SELECT organisation_id, 'refund:' || id AS purpose, payment_id, amount_minor, balance_minor, invoice_id, created_at
  FROM refunds WHERE organisation_id = :organisationId AND state <> 'FAILED'
  UNION ALL
  SELECT organisation_id, 'dispute:' || id, payment_id, amount_minor, 0, invoice_id, created_at
  FROM disputes WHERE organisation_id = :organisationId AND state <> 'WON'`;

/** By refunds and disputes of a payment that stand, of these grants. */
export async function takenOf(
  trx: Knex.Transaction,
  { organisationId, id: paymentId }: Payment,
  grants: readonly GrantedCredits[],
): Promise<bigint> {
  const { rows } = await trx.raw<{ rows: [{ micros: string }] }>(
    `SELECT coalesce(sum(entry.amount_micros), 0) AS micros FROM (${givenBack}) AS given
     JOIN ledger_transactions AS moved ON moved.organisation_id = given.organisation_id
       AND moved.created_at >= given.created_at AND moved.purpose = given.purpose
     JOIN ledger_entries AS entry ON entry.organisation_id = moved.organisation_id AND entry.transaction_id = moved.id
     WHERE given.payment_id = :paymentId AND moved.grant_id = ANY(:grants) AND entry.account = 'refunded'`,
    { organisationId, paymentId, grants: grants.map(({ grantId }) => grantId) },
  );
  return BigInt(rows[0].micros);
}

interface GivenBackRow {
  readonly purpose: string;
  readonly amount_minor: string;
  readonly paid_minor: string;
  readonly subject_id: string;
  readonly reference: string;
}

/**
 * What is taken of credits that come with a plan as they come, since its payment was disputed or given back before. What changes have left
 * over and was given back bought nothing yet, and takes nothing. Nobody else may move the account meanwhile.
 */
export const takenAtOnce: TakenAtOnce = async (trx, { organisationId }, { source, amount }) => {
  const { rows } = await trx.raw<{ rows: GivenBackRow[] }>(
    `SELECT given.purpose, given.amount_minor, paying.amount_minor AS paid_minor, paying.subject_id, paying.reference
     FROM (${givenBack}) AS given
     JOIN payments AS paying ON paying.organisation_id = given.organisation_id AND paying.id = given.payment_id
     WHERE paying.purpose <> 'CREDIT_PURCHASE' AND given.balance_minor = 0 AND given.invoice_id IS NOT NULL
     ORDER BY given.created_at, given.purpose`,
    { organisationId },
  );
  const taken: { purpose: string; amount: bigint }[] = [];
  for (const [paid, ofPayment] of Map.groupBy(rows, ({ reference }) => reference)) {
    const sold = await soldBy(trx, organisationId, ofPayment[0]?.subject_id ?? '', paid, source);
    const whole = sold === null || sold > amount ? amount : sold;
    let minor = 0n;
    for (const { purpose, amount_minor: part, paid_minor: total } of ofPayment) {
      const before = creditsOfPart(whole, minor, BigInt(total));
      minor += BigInt(part);
      taken.push({ purpose, amount: creditsOfPart(whole, minor, BigInt(total)) - before });
    }
  }
  for (const { purpose, amount: micros } of taken.filter((one) => one.amount > 0n)) {
    const [kind = '', id = ''] = purpose.split(':');
    await trx(`${kind}s`)
      .where({ organisation_id: organisationId, id })
      .update({ credits_micros: trx.raw('credits_micros + ?', [String(micros)]) });
  }
  return taken;
};

/** What a change that came about by a payment has sold of what comes from a source; null: all of it. */
async function soldBy(
  trx: Knex.Transaction,
  organisationId: string,
  id: string,
  reference: string,
  source: string,
): Promise<bigint | null> {
  const named = { organisation_id: organisationId, id, processor_reference: reference, outcome: 'accepted' };
  const row = await trx('subscription_changes').where(named).first<ChangeRow | undefined>();
  const sold = row?.finished_at
    ? creditsSoldBy(changeOfRow(row), row.finished_at).find((one) => one.source === source)
    : undefined;
  return sold ? sold.amount : 0n;
}

/** As credits that were bought. */
const priority = 50;

/** Gives credits again that were taken back, each until the grant would have expired that it was taken of. */
export async function returnCredits(
  trx: Knex.Transaction,
  by: ActorContext,
  { purpose, source }: { readonly purpose: string; readonly source: string },
  since: Date,
  at: Date,
): Promise<void> {
  const { organisationId } = by;
  const { rows } = await trx.raw<{ rows: { expires_at: Date | null; micros: string }[] }>(
    `SELECT given.expires_at, sum(entry.amount_micros) AS micros FROM ledger_transactions AS moved
     JOIN ledger_entries AS entry ON entry.organisation_id = moved.organisation_id AND entry.transaction_id = moved.id
     LEFT JOIN credit_grants AS given ON given.organisation_id = moved.organisation_id AND given.id = moved.grant_id
     WHERE moved.organisation_id = :organisationId AND moved.created_at >= :since AND moved.purpose = :purpose
       AND entry.account = 'refunded'
     GROUP BY given.expires_at ORDER BY given.expires_at`,
    { organisationId, purpose, since },
  );
  for (const [index, { expires_at: expiresAt, micros }] of rows.entries()) {
    const holdings = await lockHoldings(trx, by, at);
    const named = index === 0 ? source : `${source}:${String(index + 1)}`;
    const grant = { id: newId(), transactionId: newId(), kind: 'ADJUSTMENT' as const, priority };
    const wanted = { ...grant, source: named, amount: BigInt(micros), expiresAt };
    await saveDecision(trx, by, holdings, grantCredits(holdings, wanted, at));
  }
}
