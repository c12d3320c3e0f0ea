/** `npm run -s billing -- payments list`: what a person does about payments and changes that need one, and whom the seller exempts from tax. */
import { command, runOneOf, WrongUsage, type Command } from '@platform-backend/command-line';
import { newId, systemClock, type Logger } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase, type Database } from '@platform-backend/postgres';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { couponsStore } from './coupons/store/coupons-store.ts';
import { creditAccountsStore } from './credits/store/credit-accounts-store.ts';
import type { TaxExemptions } from './invoices/domain/invoices.ts';
import { taxExemptionsStore } from './invoices/store/tax-exemptions-store.ts';
import { couponHelp, couponsCommand, couponUsage, type CouponCommandParts } from './operate-coupons.ts';
import { creditHelp, creditsCommand, creditUsage, type CreditCommandParts } from './operate-credits.ts';
import { refundHelp, refundsCommand, refundUsage, type RefundCommandParts } from './operate-refunds.ts';
import { reconcilePayments, type ReconciliationPorts } from './payments/app/reconcile-payments.ts';
import {
  cancelByHand,
  paymentStates,
  retryByHand,
  type Payment,
  type PaymentState,
} from './payments/domain/payment.ts';
import type { Payments } from './payments/domain/payments.ts';
import type { PaymentDifference } from './payments/domain/reconciliation.ts';
import { sandboxProvider } from './payments/sandbox/sandbox-provider.ts';
import { paymentsStore } from './payments/store/payments-store.ts';
import { sandboxStore } from './payments/store/sandbox-store.ts';
import { stripeProvider } from './payments/stripe/stripe-provider.ts';
import { refundsStore } from './refunds/store/refunds-store.ts';
import { abandonByHand, type SubscriptionChange } from './subscriptions/domain/subscription-change.ts';
import { openChangesStore } from './subscriptions/store/open-changes-store.ts';

const usage = `npm run -s billing -- payments list [--state STATE]… [--organisation ID] [--limit N]
npm run -s billing -- payments retry|cancel ID
npm run -s billing -- payments reconcile [--days N]
npm run -s billing -- changes list
npm run -s billing -- changes abandon ID
${refundUsage}
${creditUsage}
${couponUsage}
npm run -s billing -- tax show|taxable --organisation ID
npm run -s billing -- tax exempt --organisation ID --reason TEXT [--until DAY]

Looks after payments, and after changes of subscriptions that are not over. Answers are lines of JSON. What is asked for is written
down; billing does it within its BILLING_SCHEDULE_SECONDS, and has to run for that. The database is that of BILLING_DATABASE_URL
or DATABASE_URL, as the role that owns nothing, else of the platform that npm start runs on PLATFORM_HOME (.platform unless given).

  payments list     the newest first (100 unless --limit says otherwise); STATE is PENDING, PROCESSING,
                    REQUIRES_ACTION, UNRESOLVED, SUCCEEDED, DECLINED or CANCELLED
  payments retry    one that is not over is looked at now; a purchase that was not paid is tried once more, with a
                    key of its own and what its organisation pays with now
  payments cancel   given up at the processor, unless it turns out to be paid
  payments reconcile
                    what was paid here and at the processor in the last days (7) and does not agree; with the
                    STRIPE_SECRET_KEY of billing, or else in the sandbox
  changes list      changes of subscriptions that are not over, the longest waiting first
  changes abandon   its payment is given up at the processor, unless it turns out to be paid; nothing changes then
${refundHelp}
${creditHelp}
${couponHelp}
  tax show          whether an organisation is exempt from tax now, and why
  tax exempt        from now on, to the end of DAY (2026-12-31) if one is given; the reason stands on its invoices
  tax taxable       takes an exemption back, from now on`;

interface Parts extends RefundCommandParts, CreditCommandParts, CouponCommandParts {
  readonly taxExemptions: TaxExemptions;
  readonly payments: Payments;
  readonly changes: ReturnType<typeof openChangesStore>;
  readonly reconcile: (days: number) => Promise<readonly PaymentDifference[]>;
}

/** What stands behind `payments`. */
const paymentCommands: Readonly<Record<string, (parts: Parts, args: Args) => Promise<void>>> = {
  list: async ({ payments, write }, { words, states, organisation, limit }) => {
    requireNoMore(words);
    for (const payment of await payments.list({
      states,
      limit,
      ...(organisation && { organisationId: organisation }),
    })) {
      write(paymentLine(payment));
    }
  },
  retry: async ({ payments, clock, write }, { words }) => {
    const payment = await named(payments, words);
    const latest = await payments.latest(payment.organisationId, payment.subjectId);
    const wish = retryByHand(payment, { isLatest: latest?.id === payment.id, id: newId(), at: clock.now() });
    if ('refused' in wish) throw new WrongUsage(wish.refused);
    if (wish.payment.id === payment.id) write(paymentLine(await payments.update(payment, () => wish.payment)));
    else write(paymentLine(await payments.addAttempt(wish.payment)));
  },
  cancel: async ({ payments, clock, write }, { words }) => {
    const payment = await named(payments, words);
    write(paymentLine(await giveUp(payments, payment, clock.now())));
  },
  reconcile: async ({ reconcile, write }, { words, days }) => {
    requireNoMore(words);
    for (const difference of await reconcile(days)) {
      write({ ...difference, amountMinor: difference.amountMinor.toString() });
    }
  },
};

/** What stands behind `changes`. */
const changeCommands: typeof paymentCommands = {
  list: async ({ changes, write }, { words }) => {
    requireNoMore(words);
    for (const change of await changes.list()) write(changeLine(change));
  },
  abandon: async ({ changes, payments, clock, write }, { words }) => {
    const id = onlyId(words);
    const change = (await changes.list()).find((open) => open.id === id);
    if (!change) throw new WrongUsage(`There is no change ${id} that is not over.`);
    const payment = await payments.latest(change.organisationId, change.id);
    if (payment) {
      await giveUp(payments, payment, clock.now());
      write(changeLine(change));
      return;
    }
    const abandoned = await changes.update(change, (known) => abandonByHand(known, clock.now()));
    if (!abandoned) throw new WrongUsage('Its payment is over: it is being told to identity, and goes on by itself.');
    write(changeLine(abandoned));
  },
};

/** What stands behind `tax`. */
const taxCommands: typeof paymentCommands = {
  show: async ({ taxExemptions, clock, write }, { words, organisation }) => {
    requireNoMore(words);
    const organisationId = required('--organisation', organisation);
    write({ organisationId, exemption: await taxExemptions.at(organisationId, clock.now()) });
  },
  exempt: async ({ taxExemptions, clock, write }, { words, organisation, reason, until }) => {
    requireNoMore(words);
    const organisationId = required('--organisation', organisation);
    const validFrom = clock.now();
    const exemption = {
      ...{ reason: required('--reason', reason), validFrom },
      validUntil: until === undefined ? null : endOfDay(until, validFrom),
    };
    await taxExemptions.set(organisationId, exemption);
    write({ organisationId, exemption });
  },
  taxable: async ({ taxExemptions, clock, write }, { words, organisation }) => {
    requireNoMore(words);
    const organisationId = required('--organisation', organisation);
    const at = clock.now();
    const exemption = await taxExemptions.at(organisationId, at);
    if (!exemption) throw new WrongUsage(`${organisationId} is not exempt from tax.`);
    if (exemption.validFrom >= at) throw new WrongUsage('It has been exempt for less than a moment: try again.');
    await taxExemptions.set(organisationId, { ...exemption, validUntil: at });
    write({ organisationId, exemption: null });
  },
};

function required(option: string, value: string | undefined): string {
  const text = value?.trim() ?? '';
  if (text === '') throw new WrongUsage(`${option} is missing.`);
  return text;
}

function endOfDay(day: string, after: Date): Date {
  const end = new Date(`${day}T23:59:59.999Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(end.getTime()) || end <= after) {
    throw new WrongUsage(`--until is a day to come, such as 2030-12-31, and not "${day}".`);
  }
  return end;
}

interface Args {
  readonly reason: string | undefined;
  readonly until: string | undefined;
  readonly days: number;
  readonly words: readonly string[];
  readonly states: readonly PaymentState[];
  readonly organisation: string | undefined;
  readonly limit: number;
}

/** Does what the words say; `write` gets each line of the answer. */
export function operatorCommands(open: () => Promise<Parts & AsyncDisposable>): Readonly<Record<string, Command>> {
  const group = (name: string, known: typeof paymentCommands): Command =>
    command({
      name: `npm run billing -- ${name}`,
      usage,
      options: {
        state: { type: 'string', multiple: true },
        organisation: { type: 'string' },
        limit: { type: 'string' },
        days: { type: 'string' },
        reason: { type: 'string' },
        until: { type: 'string' },
      },
      words: true,
      run: async ({ values, positionals: [word = '', ...words] }) => {
        const run = Object.hasOwn(known, word) ? known[word] : undefined;
        const all = Object.keys(known).join(', ');
        if (!run) throw new WrongUsage(word === '' ? `Say what to do: ${all}.` : `There is no "${word}": ${all}.`);
        const { state = [], organisation, reason, until, limit = '100', days = '7' } = values;
        const args = {
          ...{ words, organisation, reason, until, states: state.map(stateOf) },
          limit: countOf('--limit', limit),
          days: countOf('--days', days),
        };
        await using parts = await open();
        await run(parts, args);
      },
    });
  return {
    payments: group('payments', paymentCommands),
    changes: group('changes', changeCommands),
    refunds: refundsCommand(usage, open),
    credits: creditsCommand(usage, open),
    coupons: couponsCommand(usage, open),
    tax: group('tax', taxCommands),
  };
}

function stateOf(text: string): PaymentState {
  const state = paymentStates.find((known) => known === text.toUpperCase());
  if (!state) throw new WrongUsage(`There is no state "${text}": ${paymentStates.join(', ')}.`);
  return state;
}

function countOf(option: string, text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new WrongUsage(`${option} is a number from 1 to 99999, and not "${text}".`);
}

function requireNoMore(words: readonly string[]): void {
  if (words.length > 0) throw new WrongUsage(`"${words.join(' ')}" is too much.`);
}

function onlyId([id = '', ...more]: readonly string[]): string {
  requireNoMore(more);
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw new WrongUsage('Say which one, by its id.');
  return id;
}

async function named(payments: Payments, words: readonly string[]): Promise<Payment> {
  const id = onlyId(words);
  const name = await payments.find(id, '');
  const payment = name && (await payments.get(name));
  if (!payment) throw new WrongUsage(`There is no payment ${id}.`);
  return payment;
}

/** Writes down that a payment is to be given up; billing does it. Whoever changed it meanwhile is right. */
function giveUp(payments: Payments, payment: Payment, at: Date): Promise<Payment> {
  const wish = cancelByHand(payment, at);
  if ('refused' in wish) throw new WrongUsage(wish.refused);
  return payments.update(payment, (known) => (known.state === payment.state ? wish.payment : known));
}

const paymentLine = ({ clientSecret: _secret, paymentMethod: _method, idempotencyKey: _key, ...payment }: Payment) => ({
  ...payment,
  amountMinor: payment.amountMinor.toString(),
});

const changeLine = ({
  id,
  organisationId,
  kind,
  state,
  totalMinor,
  currency,
  startedAt,
  leaseUntil,
}: SubscriptionChange) => ({
  id,
  organisationId,
  kind,
  state,
  totalMinor: totalMinor.toString(),
  currency,
  startedAt,
  nextLookAt: leaseUntil,
});

/** As the role that owns nothing. */
function databaseUrl(env: NodeJS.ProcessEnv): string {
  const own = env['BILLING_DATABASE_URL'] ?? env['DATABASE_URL'];
  if (own !== undefined) return own;
  const home = env['PLATFORM_HOME'] ?? '.platform';
  const file = path.join(home, 'run.json');
  const run = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { databases?: { billing?: { app?: string } } })
    : {};
  const url = run.databases?.billing?.app;
  if (url === undefined) throw new WrongUsage(`The platform does not run on ${home}; start it with npm start.`);
  return url;
}

/** With the processor that billing has. */
function comparedWith(database: Database, logger: Logger): ReconciliationPorts {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_API_URL: apiUrl = 'https://api.stripe.com' } = process.env;
  const provider =
    secretKey === undefined
      ? sandboxProvider({ books: sandboxStore(database), clock: systemClock, cardUnlessSetUp: null })
      : stripeProvider({ secretKey, apiUrl });
  const isBooked = ({ organisationId, purpose, subjectId: id }: Payment): Promise<boolean> =>
    database.tenant(organisationId, async (trx) => {
      const booked =
        purpose === 'CREDIT_PURCHASE'
          ? trx('credit_purchases').where({ id, status: 'SUCCEEDED' })
          : trx('subscription_changes').where({ id, outcome: 'accepted' });
      return (await booked.first<object | undefined>('id')) !== undefined;
    });
  return { payments: paymentsStore(database), provider, isBooked, clock: systemClock, logger };
}

if (import.meta.main) {
  const open = () => {
    const logger = createLogger({ service: 'billing', level: 'warn', destination: process.stderr });
    const database = openDatabase({ url: databaseUrl(process.env), applicationName: 'billing operator', logger });
    return Promise.resolve<Parts & AsyncDisposable>({
      payments: paymentsStore(database),
      changes: openChangesStore(database),
      refunds: refundsStore(database),
      // Its relay looks by itself.
      credits: creditAccountsStore(database, () => undefined),
      coupons: couponsStore(database),
      taxExemptions: taxExemptionsStore(database),
      reconcile: (days) => reconcilePayments(comparedWith(database, logger), days),
      clock: systemClock,
      write: (answer: object) => process.stdout.write(`${JSON.stringify(answer)}\n`),
      [Symbol.asyncDispose]: () => database.close(),
    });
  };
  await runOneOf({ name: 'npm run billing --', usage, commands: operatorCommands(open) });
}
