import { bigintColumn, columns, type Database, type Knex } from '@platform-backend/postgres';
import { firstDueAt, inScope } from '../../test-clocks/store/in-scope.ts';
import { isOver, neverCharged, overStates, type Payment } from '../domain/payment.ts';
import type { PaymentName, Payments } from '../domain/payments.ts';

interface PaymentRow {
  id: string;
  organisation_id: string;
  subject_id: string;
  attempt: number;
  payment_method: string | null;
  reference: string | null;
  state: string;
  created_at: Date;
  next_look_at: Date | null;
}

/** Shows the schedule and operators the payments of all organisations, and nothing that could be changed. */
const schedule = { 'app.schedule': 'payments' };

/** Payments in PostgreSQL. */
export const paymentsStore = (database: Database): Payments => ({
  begin: (payment, at, leaseUntil) =>
    database.tenant(payment.organisationId, async (trx) => {
      const isFinished = await lockFinished(trx, payment);
      const inserted = !isFinished && (await insert(trx, payment));
      const latest = await latestOf(trx, payment).forUpdate().first<PaymentRow | undefined>();
      if (!latest && isFinished) return { payment: neverCharged(payment), isOurs: false };
      if (!latest) throw new Error(`the payment for ${payment.subjectId} is gone`);
      const known = paymentColumns.read(latest);
      if (inserted) return { payment: known, isOurs: true };
      const isOurs = latest.next_look_at !== null && latest.next_look_at <= at;
      if (isOurs) await named(trx, known).update({ next_look_at: leaseUntil });
      return { payment: known, isOurs };
    }),

  latest: (organisationId, subjectId) =>
    database.tenant(organisationId, async (trx) =>
      read(await latestOf(trx, { organisationId, subjectId }).first<PaymentRow | undefined>()),
    ),

  open: (organisationId) =>
    database.tenant(organisationId, async (trx) => {
      const rows = await trx('payments')
        .where({ organisation_id: organisationId })
        .whereNotIn('state', overStates)
        .orderBy('created_at')
        .select<object[]>();
      return rows.map(paymentColumns.read);
    }),

  get: (name) => database.tenant(name.organisationId, async (trx) => read(await named(trx, name).first())),

  take: (name, at, leaseUntil) =>
    database.tenant(name.organisationId, async (trx) => {
      const row = await named(trx, name).where('next_look_at', '<=', at).forUpdate().skipLocked().first();
      if (row) await named(trx, name).update({ next_look_at: leaseUntil });
      return read(row);
    }),

  pinMethod: (name, method) =>
    database.tenant(name.organisationId, async (trx) => {
      const row = await named(trx, name).forUpdate().first('payment_method', 'state');
      if (row && isOver(row)) return null;
      if (row?.payment_method) return row.payment_method;
      await named(trx, name).update({ payment_method: method });
      return method;
    }),

  update: (name, decide) =>
    database.tenant(name.organisationId, async (trx) => {
      const before = read(await named(trx, name).forUpdate().first());
      if (!before) throw new Error(`the payment ${name.id} is gone`);
      const after = decide(before);
      if (after !== before) await named(trx, name).update(paymentColumns.write(after));
      return after;
    }),

  addAttempt: (payment, finished) =>
    database.tenant(payment.organisationId, async (trx) => {
      if (finished === 'allowed' || !(await lockFinished(trx, payment))) await insert(trx, payment);
      return read(await latestOf(trx, payment).first<PaymentRow | undefined>()) ?? payment;
    }),

  due: (at, scope, limit) =>
    database.system(schedule, async (trx) => {
      const rows = await inScope(trx<PaymentRow>('payments'), scope)
        .where('next_look_at', '<=', at)
        .orderBy('next_look_at')
        .limit(limit)
        .select('organisation_id', 'id');
      return rows.map(nameOf);
    }),

  firstDueAt: (scope) => database.system(schedule, (trx) => firstDueAt(trx('payments'), scope, 'next_look_at')),

  nextDueAt: (organisationId) =>
    database.tenant(organisationId, async (trx) => {
      const of = trx<PaymentRow>('payments').where({ organisation_id: organisationId });
      const [next] = await of.min<{ at: Date | null }[]>({ at: 'next_look_at' });
      return next?.at ?? null;
    }),

  find: (id, reference) =>
    database.system(schedule, async (trx) => {
      const byId = id === null ? undefined : await trx<PaymentRow>('payments').where({ id }).first();
      const row = byId ?? (await trx<PaymentRow>('payments').where({ reference }).first());
      return row ? nameOf(row) : null;
    }),

  paid: (from, until) => paidBetween(database, from, until),

  list: ({ states, organisationId, limit }) =>
    database.system(schedule, async (trx) => {
      const payments = trx('payments').orderBy('created_at', 'desc').limit(limit);
      if (states.length > 0) void payments.whereIn('state', states);
      if (organisationId !== undefined) void payments.where({ organisation_id: organisationId });
      return (await payments.select<object[]>()).map(paymentColumns.read);
    }),
});

/** Rows that are read in one go. */
const batch = 500;

async function* paidBetween(database: Database, from: Date, until: Date): AsyncGenerator<Payment> {
  let after: readonly [Date, string] = [from, '00000000-0000-0000-0000-000000000000'];
  for (;;) {
    const position = after;
    const rows = await database.system(schedule, (trx) =>
      trx('payments')
        .where({ state: 'SUCCEEDED' })
        .where('created_at', '<=', until)
        .whereRaw('(created_at, id) > (?, ?::uuid)', [...position])
        .orderBy(['created_at', 'id'])
        .limit(batch)
        .select<object[]>(),
    );
    const payments = rows.map(paymentColumns.read);
    yield* payments;
    const last = payments.at(-1);
    if (!last || payments.length < batch) return;
    after = [last.createdAt, last.id];
  }
}

/** Locks what is paid for, so that nobody gives it up while its payment begins; answers whether that is finished already. */
async function lockFinished(trx: Knex.Transaction, { purpose, organisationId, subjectId }: Payment): Promise<boolean> {
  // A change of a subscription is not over before its payment is.
  if (purpose !== 'CREDIT_PURCHASE') return false;
  const purchase = await trx<{ id: string; organisation_id: string; finished_at: Date | null }>('credit_purchases')
    .where({ organisation_id: organisationId, id: subjectId })
    .forNoKeyUpdate()
    .first('finished_at');
  return purchase?.finished_at !== null;
}

async function insert(trx: Knex.Transaction, payment: Payment): Promise<boolean> {
  const inserted = await trx('payments').insert(paymentColumns.write(payment)).onConflict().ignore().returning('id');
  return inserted.length > 0;
}

const named = (trx: Knex.Transaction, { organisationId, id }: PaymentName) =>
  trx<PaymentRow>('payments').where({ organisation_id: organisationId, id });

const latestOf = (
  trx: Knex.Transaction,
  { organisationId, subjectId }: Pick<Payment, 'organisationId' | 'subjectId'>,
) => trx('payments').where({ organisation_id: organisationId, subject_id: subjectId }).orderBy('attempt', 'desc');

const read = (row: object | undefined): Payment | null => (row ? paymentColumns.read(row) : null);

const nameOf = ({ organisation_id: organisationId, id }: Pick<PaymentRow, 'id' | 'organisation_id'>): PaymentName => ({
  organisationId,
  id,
});

const paymentColumns = columns<Payment>({
  id: 'id',
  organisationId: 'organisation_id',
  purpose: 'purpose',
  subjectId: 'subject_id',
  attempt: 'attempt',
  idempotencyKey: 'idempotency_key',
  paymentMethodId: 'payment_method_id',
  paymentMethod: 'payment_method',
  reference: 'reference',
  clientSecret: 'client_secret',
  state: 'state',
  reason: 'reason',
  amountMinor: bigintColumn('amount_minor'),
  currency: 'currency',
  description: 'description',
  payerIsAway: 'payer_is_away',
  createdAt: 'created_at',
  deadlineAt: 'deadline_at',
  nextLookAt: 'next_look_at',
});
