import type { BillingMailKind } from '../../events.ts';
import { amountText } from '../../prices/domain/currency.ts';

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

type Data = Readonly<Record<string, unknown>>;

/** What a mail says of an event, to whom it is about. */
export function mailText(kind: BillingMailKind, organisation: string, data: Data): MailText {
  const { subject, lines } = texts[kind](data);
  return { subject: `${subject} (${organisation})`, text: [...lines, '', `This is about ${organisation}.`].join('\n') };
}

const texts: Readonly<Record<BillingMailKind, (data: Data) => { subject: string; lines: readonly string[] }>> = {
  BALANCE_LOW: (data) => ({
    subject: 'Your credits run low',
    lines: [
      `The balance has fallen to ${credits(data['balance_micros'])}, and you wanted to hear of it at ${credits(data['threshold_micros'])}.`,
      'Work that needs credits stops when there are none. You can buy some, or turn automatic top-up on.',
    ],
  }),
  INVOICE_ISSUED: (data) => ({
    subject: `Invoice ${textOf(data['number'])}`,
    lines: [`Your invoice over ${money(data)} is attached.`],
  }),
  PAYMENT_FAILED: (data) => ({
    subject: 'Your subscription could not be paid',
    lines: [
      `${money(data)} could not be charged: ${textOf(data['code'])}.`,
      ...(data['next_attempt_at'] ? [`It is tried again on ${day(data['next_attempt_at'])}.`] : []),
      `Everything keeps working until ${day(data['grace_ends_at'])}. Set up another card, or pay the open invoice.`,
    ],
  }),
  RENEWAL_UPCOMING: (data) => ({
    subject: `Your subscription renews on ${day(data['renews_at'])}`,
    lines: [
      `${textOf(data['seat_count'])} seats of the plan ${textOf(data['tier'])} renew on ${day(data['renews_at'])}.`,
      `As things stand ${money(data)} will be charged with the default payment method.`,
    ],
  }),
  TRIAL_ENDING: (data) => ({
    subject: `Your trial ends on ${day(data['trial_ends_at'])}`,
    lines: [
      `You are trying ${textOf(data['seat_count'])} seats of the plan ${textOf(data['tier'])} until ${day(data['trial_ends_at'])}.`,
      `As things stand ${money(data)} will be charged then with the default payment method. Until then you can cancel, and nothing is to be paid.`,
      data['missing_payment_method'] === 'CANCEL'
        ? 'Where no payment method is set up by then, the subscription ends.'
        : 'Where no payment method is set up by then, you get an invoice that is open.',
    ],
  }),
  TOP_UP_SUCCEEDED: (data) => ({
    subject: `${textOf(data['credits'])} credits were bought`,
    lines: [`As the balance was low, ${textOf(data['credits'])} credits were bought automatically for ${money(data)}.`],
  }),
  TOP_UP_FAILED: (data) => ({
    subject: 'Automatic top-up has stopped',
    lines: [
      `${textOf(data['credits'])} credits for ${money(data)} could not be paid: ${textOf(data['code'])}.`,
      data['code'] === 'authentication_required'
        ? 'Your bank wants you to confirm the payment. Buy credits once yourself, or use another card.'
        : 'Check your default payment method.',
      'Nothing is bought automatically until you turn automatic top-up on again.',
    ],
  }),
};

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

function credits(micros: unknown): string {
  const value = BigInt(textOf(micros) || '0');
  const [sign, amount] = value < 0n ? ['-', -value] : ['', value];
  const fraction = String(amount % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return `${sign}${String(amount / 1_000_000n)}${fraction === '' ? '' : `.${fraction}`} credits`;
}

function money({ total_minor: total, currency }: Data): string {
  const code = textOf(currency);
  return `${amountText(BigInt(textOf(total) || '0'), code)} ${code}`;
}

/** `2026-04-01`, by UTC as everywhere in billing. */
const day = (value: unknown): string => textOf(value).slice(0, 10);
