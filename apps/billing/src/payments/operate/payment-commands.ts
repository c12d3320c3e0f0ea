import { WrongUsage } from '@platform-backend/command-line';
import { newId, type Clock } from '@platform-backend/core';
import {
  countOf,
  onlyId,
  textOptions,
  withoutWords,
  wordsCommand,
  type OperatorGroup,
  type OperatorParts,
} from '../../operator-arguments.ts';
import { cancelByHand, paymentStates, retryByHand, type Payment, type PaymentState } from '../domain/payment.ts';
import type { Payments } from '../domain/payments.ts';
import type { PaymentDifference } from '../domain/reconciliation.ts';

export interface PaymentCommandParts extends OperatorParts {
  readonly payments: Payments;
  readonly reconcile: (days: number) => Promise<readonly PaymentDifference[]>;
  readonly clock: Clock;
}

const options = { ...textOptions('organisation', 'limit', 'days'), state: { type: 'string', multiple: true } } as const;

/** `npm run -s billing -- payments list|retry|cancel|reconcile`: payments that need a person. */
export const paymentCommands: OperatorGroup<PaymentCommandParts> = {
  usage: `npm run -s billing -- payments list [--state STATE]… [--organisation ID] [--limit N]
npm run -s billing -- payments retry|cancel ID
npm run -s billing -- payments reconcile [--days N]`,
  help: `  payments list     the newest first (100 unless --limit says otherwise); STATE is PENDING, PROCESSING,
                    REQUIRES_ACTION, UNRESOLVED, SUCCEEDED, DECLINED or CANCELLED
  payments retry    one that is not over is looked at now; a purchase that was not paid is tried once more, with a
                    key of its own and what its organisation pays with now
  payments cancel   given up at the processor, unless it turns out to be paid
  payments reconcile
                    what was paid here and at the processor in the last days (7) and does not agree`,
  command: wordsCommand<PaymentCommandParts, typeof options>('payments', options, {
    list: withoutWords(async ({ payments, write }, { state = [], organisation, limit = '100' }) => {
      const filter = { states: state.map(stateOf), limit: countOf('--limit', limit) };
      for (const payment of await payments.list({
        ...filter,
        ...(organisation !== undefined && { organisationId: organisation }),
      })) {
        write(paymentLine(payment));
      }
    }),
    retry: async ({ payments, clock, write }, { words }) => {
      const payment = await named(payments, words);
      const latest = await payments.latest(payment.organisationId, payment.subjectId);
      const wish = retryByHand(payment, { isLatest: latest?.id === payment.id, id: newId(), at: clock.now() });
      if ('refused' in wish) throw new WrongUsage(wish.refused);
      if (wish.payment.id === payment.id) write(paymentLine(await payments.update(payment, () => wish.payment)));
      else write(paymentLine(await payments.addAttempt(wish.payment, 'allowed')));
    },
    cancel: async ({ payments, clock, write }, { words }) => {
      const payment = await named(payments, words);
      write(paymentLine(await giveUpPayment(payments, payment, clock.now())));
    },
    reconcile: withoutWords(async ({ reconcile, write }, { days = '7' }) => {
      for (const difference of await reconcile(countOf('--days', days))) {
        write({ ...difference, amountMinor: difference.amountMinor.toString() });
      }
    }),
  }),
};

function stateOf(text: string): PaymentState {
  const state = paymentStates.find((known) => known === text.toUpperCase());
  if (!state) throw new WrongUsage(`There is no state "${text}": ${paymentStates.join(', ')}.`);
  return state;
}

async function named(payments: Payments, words: readonly string[]): Promise<Payment> {
  const id = onlyId(words);
  const name = await payments.find(id, '');
  const payment = name && (await payments.get(name));
  if (!payment) throw new WrongUsage(`There is no payment ${id}.`);
  return payment;
}

/** Writes down that a payment is to be given up; billing does it. Whoever changed it meanwhile is right. */
export function giveUpPayment(payments: Payments, payment: Payment, at: Date): Promise<Payment> {
  const wish = cancelByHand(payment, at);
  if ('refused' in wish) throw new WrongUsage(wish.refused);
  return payments.update(payment, (known) => (known.state === payment.state ? wish.payment : known));
}

const paymentLine = ({ clientSecret: _secret, paymentMethod: _method, idempotencyKey: _key, ...payment }: Payment) => ({
  ...payment,
  amountMinor: payment.amountMinor.toString(),
});
