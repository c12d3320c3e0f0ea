import { busy } from '@platform-backend/core';
import { rowBatches, type Database, type Knex, type SelectStatement } from '@platform-backend/postgres';
import type { UsageFilter } from '../../usage/domain/usage.ts';
import { NO_GROUP } from '../../usage/store/usage-day-rows.ts';
import { usageOfMembers } from '../../usage/store/usage-of-members.ts';
import { tooManyExports } from '../domain/errors.ts';
import type { ExportedColumns, ExportedRow } from '../domain/exported.ts';
import type { CreditTransactionsToExport, ExportedRows, Period } from '../domain/exports.ts';

/** Of an organisation at a time, over all replicas. */
const maxAtOnce = 2;

/** Of all organisations, in one process: a quarter of its connections, so that slow readers leave the rest to everybody else. */
const maxInProcess = 5;

const batchRows = 500;
const timeoutMs = 600_000;

/** Sets the locks of exports apart from those that somebody else may take of an organisation. */
const LOCKS_OF_EXPORTS = 'exports of ';

/** Exports in PostgreSQL. */
export const exportedRows = (database: Database): ExportedRows => {
  let open = 0;
  async function* whereThereIsRoom(batches: AsyncIterable<readonly ExportedRow[]>) {
    if (open >= maxInProcess) throw busy();
    open += 1;
    try {
      yield* batches;
    } finally {
      open -= 1;
    }
  }
  const exported = (organisationId: string, columns: ExportedColumns, query: SelectStatement) => ({
    columns,
    batches: whereThereIsRoom(
      rowBatches<ExportedRow>(
        database,
        organisationId,
        async (trx) => {
          await takeTurn(trx, organisationId);
          return query;
        },
        { batchRows, timeoutMs },
      ),
    ),
  });

  return {
    creditTransactions: (organisationId, asked) =>
      exported(organisationId, transactionColumns, transactionsToExport(organisationId, asked)),
    usage: (organisationId, asked) => exported(organisationId, usageColumns, usageToExport(organisationId, asked)),
    invoices: (organisationId, period) =>
      exported(organisationId, invoiceColumns, ofPeriod(invoices, organisationId, period)),
    creditNotes: (organisationId, period) =>
      exported(organisationId, creditNoteColumns, ofPeriod(creditNotes, organisationId, period)),
    payments: (organisationId, period) =>
      exported(organisationId, paymentColumns, ofPeriod(payments, organisationId, period)),
  };
};

/** Until the end of the transaction, also when its process dies. RATE_LIMITED: too many are being read. */
async function takeTurn(trx: Knex.Transaction, organisationId: string): Promise<void> {
  for (let turn = 1; turn <= maxAtOnce; turn += 1) {
    const { rows } = await trx.raw<{ rows: [{ taken: boolean }] }>(
      'SELECT pg_try_advisory_xact_lock(hashtext(?), ?) AS taken',
      [LOCKS_OF_EXPORTS + organisationId, turn],
    );
    if (rows[0].taken) return;
  }
  throw tooManyExports({ max: maxAtOnce });
}

/** What was made in a period, of rows named `made`, oldest first. */
const withinPeriod = `made.organisation_id = :organisationId
      AND (CAST(:from AS timestamptz) IS NULL OR made.created_at >= :from)
      AND (CAST(:to AS timestamptz) IS NULL OR made.created_at < :to)`;

const ofPeriod = (select: string, organisationId: string, { from, to }: Period): SelectStatement => ({
  text: `${select} WHERE ${withinPeriod} ORDER BY made.created_at, made.id`,
  values: { organisationId, from, to },
});

const transactionColumns = {
  id: 'text',
  created_at: 'time',
  kind: 'text',
  available_change_micros: 'integer',
  reserved_change_micros: 'integer',
  available_after_micros: 'integer',
  purpose: 'text',
  reservation_id: 'text',
  grant_id: 'text',
  debit_id: 'text',
  work_id: 'text',
  credit_class: 'text',
  service: 'text',
  occurred_at: 'time',
  client_group_id: 'text',
  api_key_id: 'text',
  member_id: 'text',
} as const satisfies ExportedColumns;

/** What belongs to a transaction is looked up row by row, so that nothing has to be joined before the first one is there. */
const transactions = `
  SELECT made.id, made.created_at, made.kind, coalesce(moved.available, 0) AS available_change_micros,
         coalesce(moved.reserved, 0) AS reserved_change_micros, made.available_after_micros, made.purpose,
         made.reservation_id, made.grant_id, made.debit_id, made.work_id, coalesce(d.credit_class, r.credit_class) AS credit_class,
         coalesce(d.service, r.service) AS service, d.occurred_at, made.client_group_id,
         coalesce(d.api_key_id, r.api_key_id) AS api_key_id, d.member_id
  FROM ledger_transactions made
  LEFT JOIN LATERAL (
    SELECT sum(e.amount_micros) FILTER (WHERE e.account = 'available') AS available,
           sum(e.amount_micros) FILTER (WHERE e.account = 'reserved') AS reserved
    FROM ledger_entries e WHERE e.organisation_id = made.organisation_id AND e.transaction_id = made.id
  ) AS moved ON true
  LEFT JOIN LATERAL (
    SELECT * FROM credit_debits one WHERE one.organisation_id = made.organisation_id AND one.id = made.debit_id OFFSET 0
  ) AS d ON true
  LEFT JOIN LATERAL (
    SELECT * FROM credit_reservations one
    WHERE one.organisation_id = made.organisation_id AND one.id = made.reservation_id OFFSET 0
  ) AS r ON true`;

const transactionsToExport = (
  organisationId: string,
  { kinds, clientGroupId, apiKeyId, memberId, from, to }: CreditTransactionsToExport,
): SelectStatement => ({
  text: `${transactions}
     WHERE ${withinPeriod}
       AND (cardinality(CAST(:kinds AS text[])) = 0 OR made.kind = ANY (:kinds))
       AND (CAST(:clientGroupId AS uuid) IS NULL OR made.client_group_id = :clientGroupId)
       AND (CAST(:apiKeyId AS uuid) IS NULL OR coalesce(d.api_key_id, r.api_key_id) = :apiKeyId)
       AND (CAST(:memberId AS text) IS NULL OR d.member_id = :memberId)
     ORDER BY made.created_at, made.id`,
  values: { organisationId, from, to, kinds: [...kinds], clientGroupId, apiKeyId, memberId },
});

const usageColumns = {
  day: 'text',
  client_group_id: 'text',
  api_key_id: 'text',
  member_id: 'text',
  requests: 'integer',
  ai_credits_micros: 'integer',
  infrastructure_credits_micros: 'integer',
} as const satisfies ExportedColumns;

/** What is nobody's stands in a row without a member, and adds up with theirs to what is in the list. */
const usageToExport = (
  organisationId: string,
  { firstDay, lastDay, clientGroupId, apiKeyId, memberId }: UsageFilter & { firstDay: string; lastDay: string },
): SelectStatement => ({
  text: `SELECT CAST(day AS text) AS day, nullif(client_group_id, :none) AS client_group_id,
            nullif(api_key_id, :none) AS api_key_id, nullif(member_id, '') AS member_id, sum(requests) AS requests,
            sum(ai_credits_micros) AS ai_credits_micros,
            sum(infrastructure_credits_micros) AS infrastructure_credits_micros
     FROM (${usageOfMembers}) AS used
     WHERE organisation_id = :organisationId AND used.day BETWEEN :firstDay AND :lastDay
       AND (CAST(:clientGroupId AS uuid) IS NULL OR client_group_id = :clientGroupId)
       AND (CAST(:apiKeyId AS uuid) IS NULL OR api_key_id = :apiKeyId)
       AND (CAST(:memberId AS text) IS NULL OR member_id = :memberId)
     GROUP BY used.day, client_group_id, api_key_id, member_id
     HAVING sum(requests) <> 0 OR sum(ai_credits_micros) <> 0 OR sum(infrastructure_credits_micros) <> 0
     ORDER BY used.day, used.client_group_id, used.api_key_id, used.member_id`,
  values: { organisationId, none: NO_GROUP, firstDay, lastDay, clientGroupId, apiKeyId, memberId },
});

/** As the list shows them, in whose rows amounts are text. */
const lines = `(
    SELECT jsonb_agg(jsonb_build_object('description', line -> 'description', 'quantity', line -> 'quantity',
      'amount_minor', CAST(line ->> 'amount_minor' AS bigint)) ORDER BY place)
    FROM jsonb_array_elements(made.lines) WITH ORDINALITY AS each_line (line, place)
  ) AS lines`;

const invoiceColumns = {
  id: 'text',
  number: 'text',
  created_at: 'time',
  status: 'text',
  paid_at: 'time',
  currency: 'text',
  country: 'text',
  subtotal_minor: 'integer',
  tax_minor: 'integer',
  total_minor: 'integer',
  refunded_minor: 'integer',
  tax_label: 'text',
  tax_treatment: 'text',
  organisation_name: 'text',
  company_name: 'text',
  vat_id: 'text',
  lines: 'list',
} as const satisfies ExportedColumns;

const invoices = `
  SELECT made.id, made.number, made.created_at, coalesce(state.status, 'PAID') AS status,
         coalesce(state.paid_at, made.paid_at) AS paid_at, made.currency, made.country, made.subtotal_minor, made.tax_minor,
         made.total_minor, (
           SELECT coalesce(sum(refund.amount_minor), 0) FROM refunds refund
           WHERE refund.organisation_id = made.organisation_id AND refund.invoice_id = made.id AND refund.state <> 'FAILED'
         ) AS refunded_minor,
         coalesce(made.tax_label, 'Tax') AS tax_label, made.taxed ->> 'treatment' AS tax_treatment,
         buyer.organisation_name, made.billing_details ->> 'company_name' AS company_name,
         made.billing_details ->> 'vat_id' AS vat_id, ${lines}
  FROM invoices made
  LEFT JOIN invoice_states state ON state.organisation_id = made.organisation_id AND state.invoice_id = made.id
  LEFT JOIN invoice_buyers buyer ON buyer.organisation_id = made.organisation_id AND buyer.invoice_id = made.id`;

const creditNoteColumns = {
  id: 'text',
  number: 'text',
  created_at: 'time',
  invoice_id: 'text',
  invoice_number: 'text',
  refund_id: 'text',
  currency: 'text',
  subtotal_minor: 'integer',
  tax_minor: 'integer',
  total_minor: 'integer',
  voided_at: 'time',
  lines: 'list',
} as const satisfies ExportedColumns;

const creditNotes = `
  SELECT made.id, made.number, made.created_at, made.invoice_id, invoice.number AS invoice_number, made.refund_id, made.currency,
         made.subtotal_minor, made.tax_minor, made.total_minor, void.voided_at, ${lines}
  FROM credit_notes made
  JOIN invoices invoice ON invoice.id = made.invoice_id AND invoice.organisation_id = made.organisation_id
  LEFT JOIN credit_note_voids void ON void.credit_note_id = made.id AND void.organisation_id = made.organisation_id`;

const paymentColumns = {
  id: 'text',
  created_at: 'time',
  purpose: 'text',
  subject_id: 'text',
  attempt: 'integer',
  state: 'text',
  reason: 'text',
  amount_minor: 'integer',
  currency: 'text',
  description: 'text',
} as const satisfies ExportedColumns;

/** The processor's names for them are never shown. */
const payments = `
  SELECT made.id, made.created_at, made.purpose, made.subject_id, made.attempt, made.state, made.reason, made.amount_minor,
         made.currency, made.description
  FROM payments made`;
