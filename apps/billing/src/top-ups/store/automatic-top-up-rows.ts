import { bigintColumn, columns, type Knex } from '@platform-backend/postgres';
import type { AutomaticTopUp } from '../domain/automatic-top-up.ts';

export const topUpColumns = columns<AutomaticTopUp>({
  state: 'state',
  threshold: bigintColumn('threshold_micros'),
  credits: 'credits',
  currency: 'currency',
  monthlyCapMinor: bigintColumn('monthly_cap_minor'),
  stoppedCode: 'stopped_code',
  changedAt: 'changed_at',
  resumesAt: 'resumes_at',
  purchaseId: 'purchase_id',
});

export const of = (trx: Knex.Transaction, organisationId: string) =>
  trx('automatic_top_ups').where({ organisation_id: organisationId });

export const thresholdOf = (trx: Knex.Transaction, organisationId: string) =>
  trx('balance_thresholds').where({ organisation_id: organisationId, purpose: 'TOP_UP' });

export async function load(query: Knex.QueryBuilder): Promise<AutomaticTopUp | null> {
  const row = (await query.first()) as object | undefined;
  return row ? topUpColumns.read(row) : null;
}
