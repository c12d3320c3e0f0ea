import type { Knex } from '@platform-backend/postgres';
import { mailKindOf } from '../../src/events.ts';
import { endsWithTrial } from '../../src/subscriptions/domain/subscription-change.ts';
import { changeOfRow } from '../../src/subscriptions/store/subscription-columns.ts';
import { ledgerFaults } from '../ledger-soundness.ts';
import type { DisputeThere, DoneOutside } from './organisation-year.ts';
import { couponsDiffer, planCreditsDiffer } from './plan-books.ts';
import type { SimulatedBilling } from './simulated-billing.ts';

type Row = Readonly<Record<string, unknown>>;

/** All that is kept of an organisation. */
async function everythingOf(trx: Knex.Transaction) {
  const all = async (table: string): Promise<Row[]> => trx(table).select<Row[]>();
  return {
    payments: await all('payments'),
    purchases: await all('credit_purchases'),
    changes: await all('subscription_changes'),
    subscription: (await all('subscriptions'))[0],
    invoices: await all('invoices'),
    states: await all('invoice_states'),
    refunds: await all('refunds'),
    notes: await all('credit_notes'),
    voidedNotes: await all('credit_note_voids'),
    disputes: await all('disputes'),
    grants: await all('credit_grants'),
    account: (await all('credit_accounts'))[0],
    reservations: await all('credit_reservations'),
    debits: await all('credit_debits'),
    movements: await all('ledger_transactions'),
    thresholds: await all('balance_thresholds'),
    topUp: (await all('automatic_top_ups'))[0],
    mails: await all('billing_mails'),
    meterHours: await all('meter_hours'),
    meteredEvents: await all('usage_events'),
    entries: await all('ledger_entries'),
    redemptions: await all('coupon_redemptions'),
    events: (await all('outbox')).map(({ type, envelope }): Event => ({
      name: String(type).replace('platform.v1.billing.', ''),
      data: (envelope as { data: Row }).data,
    })),
  };
}

interface Event {
  readonly name: string;
  readonly data: Row;
}

type Kept = Awaited<ReturnType<typeof everythingOf>>;

/** What does not agree about an organisation after its year: nothing, as long as all is well. */
export async function disagreements(billing: SimulatedBilling, done: DoneOutside): Promise<string[]> {
  const { organisationId } = done;
  const areas = billing.areas();
  return billing.database
    .tenant(organisationId, async (trx) => {
      const faults = await ledgerFaults({ query: (sql) => trx.raw<{ rows: Row[] }>(sql) });
      return { kept: await everythingOf(trx), faults };
    })
    .then(async ({ kept, faults }) => {
      const now = await areas.testClocks.exports.time.by(organisationId, async () =>
        Promise.resolve(areas.payments.exports.ports.clock.now()),
      );
      return [
        ...Object.entries(faults).map(([fault, rows]) => `${fault}: ${JSON.stringify(rows)}`),
        ...workDiffers(kept, done),
        ...paymentsDiffer(kept, billing, organisationId),
        ...salesDiffer(kept),
        ...refundsDiffer(kept, billing, organisationId),
        ...disputesDiffer(kept, done.disputes),
        ...takenBackDiffers(kept),
        ...planCreditsDiffer(kept, now),
        ...couponsDiffer(kept),
        ...eventsDiffer(kept),
        ...alertsDiffer(kept),
        ...topUpsDiffer(kept, done),
        ...mailsDiffer(kept),
        ...metersDiffer(kept, done),
        ...waiting(kept, now),
        ...identityDiffers(kept, billing, organisationId),
      ];
    });
}

const text = (value: unknown): string => JSON.stringify(value);
const sum = (rows: readonly Row[], field: string): bigint =>
  rows.reduce((total, row) => total + BigInt(String(row[field])), 0n);
const differ = (what: string, one: unknown, other: unknown): string[] =>
  String(one) === String(other) ? [] : [`${what}: ${String(one)} and ${String(other)}`];
const inState = (rows: readonly Row[], state: string): Row[] => rows.filter((row) => row['state'] === state);

/** Work, debits, usage and the ledger; that the last two agree is one of the ledger's own questions. */
function workDiffers({ debits }: Kept, { work }: DoneOutside): string[] {
  const booked = new Map(debits.map(({ id, amount_micros: micros }) => [String(id), String(micros)]));
  return [
    ...differ('pieces of work and debits', work.size, debits.length),
    ...[...work].flatMap(([id, micros]) => differ(`debit ${id}`, micros, booked.get(id))),
  ];
}

const ofOrganisation = (objects: Iterable<Row>, organisationId: string): Row[] =>
  [...objects].filter(({ metadata }) => (metadata as Row)['organisation_id'] === organisationId);

/** Payments here and at the processor. */
function paymentsDiffer({ payments }: Kept, { stripe }: SimulatedBilling, organisationId: string): string[] {
  const there = ofOrganisation(stripe.intents.values(), organisationId);
  const byReference = new Map(payments.map((payment) => [payment['reference'], payment]));
  return [
    ...there.flatMap((intent) => {
      const here = byReference.get(intent['id']);
      if (!here) return [`payment there alone: ${text(intent)}`];
      return [
        ...differ(`amount of ${String(here['id'])}`, intent['amount'], here['amount_minor']),
        ...differ(`currency of ${String(here['id'])}`, String(intent['currency']).toUpperCase(), here['currency']),
        ...differ(
          `whether ${String(here['id'])} is paid`,
          intent['status'] === 'succeeded',
          here['state'] === 'SUCCEEDED',
        ),
        ...(intent['status'] === 'succeeded' || intent['status'] === 'canceled'
          ? []
          : [`can be paid later: ${text(intent)}`]),
      ];
    }),
    ...inState(payments, 'SUCCEEDED')
      .filter(({ reference }) => !there.some(({ id }) => id === reference))
      .map((payment) => `paid here alone: ${text(payment)}`),
  ];
}

/** What refunds and disputes have taken of credits stands in the ledger, and is there again where they came to nothing. */
function takenBackDiffers({ refunds, disputes, movements, entries, grants }: Kept): string[] {
  const taken = new Map(
    entries.filter(({ account }) => account === 'refunded').map((one) => [one['transaction_id'], one]),
  );
  const takenFor = (purpose: string) =>
    sum(
      movements
        .filter(({ purpose: of }) => of === purpose)
        .flatMap(({ id }): Row[] => [taken.get(id) ?? { amount_micros: 0 }]),
      'amount_micros',
    );
  const returnedFor = (source: string) =>
    sum(
      grants.filter(({ source: of }) => String(of) === source || String(of).startsWith(`${source}:`)),
      'amount_micros',
    );
  const differs = (
    kind: string,
    over: string,
    returned: string,
    { id, state, credits_micros: micros }: Row,
  ): string[] => [
    ...differ(`credits taken for ${kind}:${String(id)}`, micros, takenFor(`${kind}:${String(id)}`)),
    ...differ(
      `credits of ${kind}:${String(id)} given again`,
      state === over ? micros : 0,
      returnedFor(`${returned}:${String(id)}`),
    ),
  ];
  return [
    ...refunds.flatMap((one) => differs('refund', 'FAILED', 'refund_failed', one)),
    ...disputes.flatMap((one) => differs('dispute', 'WON', 'dispute_won', one)),
  ];
}

const isPaid = ({ states }: Kept, invoice: Row): boolean =>
  (states.find(({ invoice_id: id }) => id === invoice['id'])?.['status'] ?? 'PAID') === 'PAID';

/** What was given back since nothing was given for it. */
const surplus = ({ refunds }: Kept, payment: Row): bigint =>
  sum(
    refunds.filter(
      (one) => one['payment_id'] === payment['id'] && one['invoice_id'] === null && one['state'] !== 'FAILED',
    ),
    'amount_minor',
  );

/** Each payment has bought one thing, with one invoice about as much; or it was given back. */
function salesDiffer(kept: Kept): string[] {
  const { payments, purchases, changes, invoices, grants } = kept;
  const paid = inState(payments, 'SUCCEEDED');
  const invoiceOf = (source: string) => invoices.find((invoice) => invoice['source'] === source);
  const keptOf = (subject: unknown): Row[] =>
    paid.filter((one) => one['subject_id'] === subject && surplus(kept, one) === 0n);
  const sold = [
    ...purchases.map(({ id, status }) => ({ id, source: `purchase:${String(id)}`, isSold: status === 'SUCCEEDED' })),
    ...changes.flatMap(({ id, outcome, total_minor: total, plan }) => {
      const pays = (plan as { pays_invoice_of?: string | null }).pays_invoice_of ?? null;
      const source = `subscription_change:${pays ?? String(id)}`;
      return BigInt(String(total)) === 0n ? [] : [{ id, source, isSold: outcome === 'accepted' }];
    }),
  ];
  const paidInvoices = invoices.filter(
    (invoice) => isPaid(kept, invoice) && BigInt(String(invoice['total_minor'])) > 0n,
  );
  return [
    ...sold.flatMap(({ id, source, isSold }) => {
      const [payment, ...more] = keptOf(id);
      if (more.length > 0) return [`paid twice: ${text([payment, ...more])}`];
      if (!isSold) return payment ? [`paid for nothing: ${text(payment)}`] : [];
      if (!payment) return [`given for nothing: ${source}`];
      const invoice = invoiceOf(source);
      if (!invoice || !isPaid(kept, invoice)) return [`paid without an invoice: ${source}`];
      return differ(`invoice and payment of ${source}`, invoice['total_minor'], payment['amount_minor']);
    }),
    ...differ('paid invoices and things sold', paidInvoices.length, sold.filter(({ isSold }) => isSold).length),
    ...differ(
      'invoices and payments',
      sum(paidInvoices, 'total_minor'),
      paid.reduce((total, one) => total + BigInt(String(one['amount_minor'])) - surplus(kept, one), 0n),
    ),
    ...purchases.flatMap(({ id, status, credits }) =>
      differ(
        `credits of purchase ${String(id)}`,
        status === 'SUCCEEDED' ? BigInt(Number(credits)) * 1_000_000n : 0n,
        sum(
          grants.filter(({ source }) => source === `purchase:${String(id)}`),
          'amount_micros',
        ),
      ),
    ),
  ];
}

/** Refunds here and at the processor, and their credit notes. */
function refundsDiffer(kept: Kept, { stripe }: SimulatedBilling, organisationId: string): string[] {
  const { refunds, payments, disputes, voidedNotes, states, invoices } = kept;
  const notes = kept.notes.filter(({ id }) => !voidedNotes.some(({ credit_note_id: of }) => of === id));
  const isVoid = ({ id }: Row) => states.some((one) => one['invoice_id'] === id && one['status'] === 'VOID');
  const there = ofOrganisation(stripe.refunds, organisationId);
  const standing = inState(refunds, 'SUCCEEDED');
  return [
    ...there.flatMap((one) => {
      const here = refunds.find(({ id }) => id === (one['metadata'] as Row)['refund_id']);
      if (!here) return [`refund there alone: ${text(one)}`];
      return [
        ...differ(`amount of refund ${String(here['id'])}`, one['amount'], here['amount_minor']),
        ...differ(
          `whether refund ${String(here['id'])} is made`,
          one['status'] === 'succeeded',
          here['state'] === 'SUCCEEDED',
        ),
      ];
    }),
    ...standing
      .filter(({ id }) => !there.some(({ metadata }) => (metadata as Row)['refund_id'] === id))
      .map((one) => `refund here alone: ${text(one)}`),
    ...differ(
      'refunds and credit notes',
      sum(
        standing.filter(({ invoice_id: of }) => of !== null),
        'amount_minor',
      ),
      sum(
        notes.filter(({ refund_id: of }) => of !== null),
        'total_minor',
      ),
    ),
    ...differ(
      'void invoices and credit notes',
      sum(invoices.filter(isVoid), 'total_minor'),
      sum(
        notes.filter(({ refund_id: of }) => of === null),
        'total_minor',
      ),
    ),
    ...payments
      .filter((payment) => {
        const back = sum(
          standing.filter(({ payment_id: of }) => of === payment['id']),
          'amount_minor',
        );
        const lost = sum(
          inState(disputes, 'LOST').filter(({ payment_id: of }) => of === payment['id']),
          'amount_minor',
        );
        return back + lost > BigInt(String(payment['amount_minor']));
      })
      .map((payment) => `more given back than was paid: ${text(payment)}`),
  ];
}

/** A warning of a bank is no dispute: no money was taken. */
function disputesDiffer({ disputes }: Kept, there: readonly DisputeThere[]): string[] {
  const real = there.filter(({ status }) => !status.startsWith('warning_'));
  const known = new Map(disputes.map((one) => [one['reference'], one]));
  return [
    ...differ('disputes', real.length, disputes.length),
    ...real.flatMap(({ id, status, amount }) => [
      ...differ(`dispute ${id}`, status === 'needs_response' ? 'OPEN' : status.toUpperCase(), known.get(id)?.['state']),
      ...differ(`amount of dispute ${id}`, amount, known.get(id)?.['amount_minor']),
    ]),
  ];
}

/** What has happened was told, once. */
function eventsDiffer(kept: Kept): string[] {
  const { events, changes, refunds, disputes, grants, movements, account } = kept;
  const told = (name: string, more: (data: Row) => boolean = () => true): number =>
    events.filter((event) => event.name === name && more(event.data)).length;
  const accepted = changes.filter(({ outcome }) => outcome === 'accepted');
  // Where no card was set up for what follows a trial, nobody is told that something was not paid.
  const trialsEnded = changes.map(changeOfRow).filter(endsWithTrial);
  const lastly = events.filter(({ name }) => name === 'credits.exhausted' || name === 'credits.granted').at(-1);
  return [
    ...differ('invoice.issued', told('invoice.issued'), kept.invoices.length),
    ...differ('invoice.voided', told('invoice.voided'), kept.states.filter(({ status }) => status === 'VOID').length),
    ...differ('refund.created', told('refund.created'), refunds.length),
    ...differ('refund.failed', told('refund.failed'), inState(refunds, 'FAILED').length),
    ...differ('dispute.opened', told('dispute.opened'), disputes.length),
    ...differ('dispute.closed', told('dispute.closed'), disputes.filter(({ state }) => state !== 'OPEN').length),
    ...differ('coupon.redeemed', told('coupon.redeemed'), kept.redemptions.length),
    ...differ('credits.granted', told('credits.granted'), grants.length),
    ...differ('credits.expired', told('credits.expired'), movements.filter(({ kind }) => kind === 'EXPIRE').length),
    ...differ('credits.adjusted', told('credits.adjusted'), movements.filter(({ kind }) => kind === 'ADJUST').length),
    ...differ(
      'subscription.renewed',
      told('subscription.renewed'),
      accepted.filter(({ kind }) => kind === 'renewed').length,
    ),
    ...differ(
      'subscription.changed',
      told('subscription.changed'),
      accepted.filter(({ kind }) => kind !== 'renewed').length + trialsEnded.length,
    ),
    ...differ(
      'subscription.payment_failed',
      told('subscription.payment_failed'),
      changes.filter(({ outcome }) => outcome === 'payment_refused').length - trialsEnded.length,
    ),
    ...(account && account['exhausted_at_version'] !== null && lastly?.name === undefined
      ? ['exhausted, and nobody was told']
      : []),
  ];
}

const balanceOf = (account: Row | undefined): bigint =>
  account ? BigInt(String(account['available_micros'])) + BigInt(String(account['reserved_micros'])) : 0n;

/** Who is low knows it, and was told of each fall that somebody looked at, though not more often than the balance has fallen. */
function alertsDiffer({ thresholds, account, events, movements }: Kept): string[] {
  const balance = balanceOf(account);
  const told = events.filter(({ name }) => name === 'credits.balance_low');
  const falls = movements.filter(({ kind }) => !['GRANT', 'PURCHASE', 'RESERVE', 'RELEASE'].includes(String(kind)));
  return [
    ...thresholds.flatMap((threshold) =>
      differ(
        `whether ${text(threshold)} is low`,
        threshold['is_low'],
        balance <= BigInt(String(threshold['amount_micros'])),
      ),
    ),
    ...thresholds
      .filter(({ purpose, crossing_id: crossing }) => purpose === 'ALERT' && crossing !== null)
      .map((threshold) => `nobody was told of a fall: ${text(threshold)}`),
    ...thresholds
      .filter(({ purpose, last_crossed_at: at }) => purpose === 'ALERT' && at !== null)
      .filter(({ amount_micros: amount }) => !told.some(({ data }) => data['threshold_micros'] === amount))
      .map((threshold) => `it went off, and nobody was told: ${text(threshold)}`),
    ...told
      .filter(({ data }) => BigInt(String(data['balance_micros'])) > BigInt(String(data['threshold_micros'])))
      .map(({ data }) => `told of a balance that is not low: ${text(data)}`),
    ...[...Map.groupBy(told, ({ data }) => data['threshold_micros'])]
      .filter(([, ofOne]) => ofOne.length > falls.length)
      .map(([threshold]) => `told more often than the balance fell: ${String(threshold)}`),
  ];
}

/** Each was begun once and ended once, and those of a month are within the cap. */
function topUpsDiffer(kept: Kept, { highestCap }: DoneOutside): string[] {
  const { purchases, events, topUp, thresholds } = kept;
  const bought = purchases.filter(({ origin }) => origin === 'AUTOMATIC_TOP_UP');
  const idsOf = (name: string): unknown[] =>
    events.filter((event) => event.name === name).map(({ data }) => data['purchase_id']);
  const months = Map.groupBy(
    bought.filter(({ status }) => status !== 'DECLINED'),
    ({ created_at: at, currency }) => `${String(currency)} ${(at as Date).toISOString().slice(0, 7)}`,
  );
  const [crossed] = thresholds.filter(({ purpose, crossing_id: id }) => purpose === 'TOP_UP' && id !== null);
  return [
    ...differ(
      'top_up.started',
      idsOf('top_up.started').toSorted().join(),
      bought
        .map(({ id }) => id)
        .toSorted()
        .join(),
    ),
    ...(['SUCCEEDED', 'DECLINED'] as const).flatMap((status) => {
      const name = status === 'SUCCEEDED' ? 'top_up.succeeded' : 'top_up.failed';
      const ids = bought.filter((one) => one['status'] === status).map(({ id }) => id);
      return differ(name, idsOf(name).toSorted().join(), ids.toSorted().join());
    }),
    ...[...months].flatMap(([month, ofMonth]) => {
      const cap = highestCap.get(month.slice(0, 3)) ?? 0n;
      return sum(ofMonth, 'total_minor') > cap ? [`more than ${String(cap)} in ${month}: ${text(ofMonth)}`] : [];
    }),
    ...(topUp && topUp['purchase_id'] !== null ? [`top-up waits for its purchase: ${text(topUp)}`] : []),
    ...(topUp?.['state'] === 'ACTIVE' && crossed ? [`top-up waits: ${text([topUp, crossed])}`] : []),
  ];
}

/** A mail for each event that is told by mail. */
function mailsDiffer({ mails, events }: Kept): string[] {
  const expected = events.map((event) => mailKindOf(event as never)).filter((kind) => kind !== null);
  const written = mails.map(({ kind }) => String(kind));
  return differ('mails', written.toSorted().join(), expected.toSorted().join());
}

/** What was reported is counted once. */
function metersDiffer({ meterHours, meteredEvents }: Kept, { measured }: DoneOutside): string[] {
  const total = [...measured.values()].reduce((one, other) => one + other, 0);
  return [
    ...differ('events of meters', meteredEvents.length, measured.size),
    ...differ('events counted', sum(meterHours, 'events'), measured.size),
    ...differ(
      'total of meters',
      meterHours.reduce((before, row) => before + Number(row['total']), 0),
      total,
    ),
  ];
}

/** What should have come to its end by then, or been looked at. */
function waiting(kept: Kept, now: Date): string[] {
  const isDue = (at: unknown): boolean => at !== null && (at as Date) <= now;
  const { payments, purchases, changes, refunds, reservations, grants, subscription, states, account } = kept;
  return [
    ...payments
      .filter(
        ({ next_look_at: at, deadline_at: until, state }) =>
          isDue(at) || (isDue(until) && at !== null) || state === 'UNRESOLVED',
      )
      .map((row) => `payment waits: ${text(row)}`),
    ...purchases.filter(({ finished_at: at }) => at === null).map((row) => `purchase waits: ${text(row)}`),
    ...changes.filter(({ state }) => state !== 'done').map((row) => `change waits: ${text(row)}`),
    ...refunds.filter(({ state }) => state === 'PENDING').map((row) => `refund waits: ${text(row)}`),
    ...reservations
      .filter(({ status, expires_at: at }) => status === 'OPEN' && isDue(at))
      .map((row) => `reservation waits: ${text(row)}`),
    ...(subscription && isDue(subscription['next_action_at']) ? [`subscription waits: ${text(subscription)}`] : []),
    ...states
      .filter(({ status }) => status === 'OPEN' && subscription?.['status'] !== 'PAST_DUE')
      .map((row) => `invoice is open for ever: ${text(row)}`),
    ...(isDue(account?.['next_expiry_at'] ?? null) ? [`credits wait: ${text([account, grants])}`] : []),
  ];
}

/** Seats are what is paid for. */
function identityDiffers({ subscription }: Kept, { identity }: SimulatedBilling, organisationId: string): string[] {
  const { plan, version } = identity.of(organisationId);
  if (!subscription) return plan?.hasPlan ? [`seats for nothing: ${text(plan)}`] : [];
  const isOver = subscription['status'] === 'ENDED';
  return [
    ...differ('whether there is a plan', plan?.hasPlan, !isOver),
    ...(isOver ? [] : differ('seats', plan?.maxMemberLimit, subscription['seat_count'])),
    ...(version < BigInt(String(subscription['version']))
      ? [`identity has not heard of version ${text(subscription)}`]
      : []),
  ];
}
