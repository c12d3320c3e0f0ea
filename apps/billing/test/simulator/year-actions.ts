import { repetitions } from '@platform-backend/testing';
import fc from 'fast-check';
import { billingMailKinds, type BillingMailKind } from '../../src/events.ts';
import { memberStates } from '../../src/prices/domain/sale-tax.ts';
import type { Death } from './simulated-billing.ts';

/** What somebody does about an organisation, or what befalls it. `pick` chooses among what there is. */
export type Deed =
  | {
      readonly kind: 'work';
      readonly micros: number;
      readonly byMember: boolean;
      readonly reserves: 'nothing' | 'enough' | 'too_little' | 'and_is_late';
      readonly isTold: 'at_once' | 'twice' | 'late' | 'late_and_twice';
    }
  | { readonly kind: 'buy'; readonly credits: number; readonly currency: 'EUR' | 'USD' }
  | {
      readonly kind: 'subscribe';
      readonly tier: 'BASIC' | 'TEAM';
      readonly seats: number;
      readonly cycle: 'MONTHLY' | 'YEARLY' | null;
      readonly renew: boolean;
      readonly trial: boolean;
      readonly trialEnd: 'CANCEL' | 'CREATE_INVOICE' | null;
    }
  | { readonly kind: 'cancel' | 'resume' | 'pay_invoice' }
  | { readonly kind: 'new_card'; readonly card: string }
  | { readonly kind: 'card_turns'; readonly into: string }
  | { readonly kind: 'refund'; readonly by: 'member' | 'operator'; readonly pick: number; readonly percent: number }
  | { readonly kind: 'refund_fails'; readonly pick: number }
  | {
      readonly kind: 'dispute';
      readonly pick: number;
      readonly percent: number;
      readonly ends: 'won' | 'lost' | 'warning_closed' | null;
      readonly isInquiry: boolean;
    }
  | { readonly kind: 'prices'; readonly level: number }
  | { readonly kind: 'redeem'; readonly code: string }
  | { readonly kind: 'grant'; readonly credits: number; readonly days: number | null; readonly priority: number }
  | { readonly kind: 'adjust'; readonly credits: number }
  | { readonly kind: 'details'; readonly country: string | null; readonly vatId: string }
  | { readonly kind: 'members'; readonly count: number }
  | {
      readonly kind: 'top_up';
      /** Null turns it off. */
      readonly threshold: number | null;
      readonly credits: number;
      /** How many of them a month may have. */
      readonly times: number;
    }
  | { readonly kind: 'alert'; readonly threshold: number; readonly isRemoved: boolean }
  | { readonly kind: 'mails'; readonly disabled: readonly BillingMailKind[] }
  | { readonly kind: 'measure'; readonly values: readonly number[]; readonly times: number };

/** One entry of an organisation's history. */
export interface Entry {
  /** Hours that pass before it. */
  readonly after: number;
  readonly deed: Deed;
  /** What does not answer meanwhile. */
  readonly outage: {
    readonly of: 'processor' | 'identity';
    readonly when: 'before' | 'after';
    readonly hours: number;
  } | null;
  /** The processor fails on its own for so many payments. */
  readonly brokenPayments: number;
  /** It takes so long for its answers that somebody else takes over. */
  readonly isSlow: boolean;
  readonly death: Death | null;
  /** What the processor reports of it arrives so. */
  readonly reports: 'promptly' | 'twice' | 'late' | 'lost';
  /** What a payer does who is asked to confirm, and a bank that takes its time. */
  readonly payer: 'confirms' | 'cancels' | 'leaves';
  readonly bankAgrees: boolean;
}

const percent = fc.constantFrom(100, 100, 50, 30, 1);
const pick = fc.nat({ max: 50 });

const work = fc.record({
  kind: fc.constant('work' as const),
  micros: fc.oneof(fc.integer({ min: 1, max: 40_000_000 }), fc.integer({ min: 1, max: 3_000 })),
  byMember: fc.boolean(),
  reserves: fc.constantFrom('nothing' as const, 'enough' as const, 'too_little' as const, 'and_is_late' as const),
  isTold: fc.constantFrom(
    'at_once' as const,
    'at_once' as const,
    'twice' as const,
    'late' as const,
    'late_and_twice' as const,
  ),
});

const cards = fc.constantFrom(
  'pm_card_visa',
  'pm_card_visa',
  'pm_card_chargeCustomerFail',
  'pm_card_authenticationRequired',
  'pm_usBankAccount_processing',
);

const details = fc.record({
  kind: fc.constant('details' as const),
  country: fc.constantFrom(null, 'DE', 'FR', 'CH', 'US', ...[...memberStates].slice(0, 3)),
  vatId: fc.constantFrom('', '', 'FR40303265045'),
});

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 8, arbitrary: work },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant('buy' as const),
      credits: fc.constantFrom(70, 500, 1_234, 12_000),
      currency: fc.constantFrom('EUR' as const, 'EUR' as const, 'USD' as const),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant('subscribe' as const),
      tier: fc.constantFrom('BASIC' as const, 'TEAM' as const, 'TEAM' as const),
      seats: fc.integer({ min: 1, max: 12 }),
      cycle: fc.constantFrom(null, null, 'MONTHLY' as const, 'YEARLY' as const),
      renew: fc.constantFrom(false, false, false, true),
      trial: fc.boolean(),
      trialEnd: fc.constantFrom(null, 'CANCEL' as const, 'CREATE_INVOICE' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'resume' as const, 'pay_invoice' as const) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('new_card' as const), card: cards }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('card_turns' as const), into: cards }) },
  {
    weight: 5,
    arbitrary: fc.record({
      ...{ kind: fc.constant('refund' as const), pick, percent },
      by: fc.constantFrom('member' as const, 'operator' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refund_fails' as const), pick }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ kind: fc.constant('dispute' as const), pick, percent },
      ends: fc.constantFrom('won' as const, 'lost' as const, null),
      isInquiry: fc.constantFrom(false, false, true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('redeem' as const), code: fc.constantFrom('ONCE', 'MONTHS', 'EVER') }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prices' as const), level: fc.nat({ max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('grant' as const),
      credits: fc.integer({ min: 1, max: 300 }),
      days: fc.constantFrom(null, 1, 10, 40),
      priority: fc.constantFrom(10, 20, 50),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('adjust' as const), credits: fc.integer({ min: 1, max: 50 }) }),
  },
  { weight: 1, arbitrary: details },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('top_up' as const),
      threshold: fc.constantFrom(null, 0, 20, 300),
      credits: fc.constantFrom(70, 250),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('alert' as const),
      threshold: fc.constantFrom(0, 10, 100, 400),
      isRemoved: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('mails' as const),
      disabled: fc.subarray([...billingMailKinds]),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('measure' as const),
      values: fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 5 }),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('members' as const), count: fc.integer({ min: 1, max: 9 }) }) },
);

/** One in so many. */
const seldom = <Value>(arbitrary: fc.Arbitrary<Value>, of: number) =>
  fc.oneof({ weight: of - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const outage = fc.record({
  of: fc.constantFrom('processor' as const, 'identity' as const),
  when: fc.constantFrom('before' as const, 'after' as const),
  hours: fc.constantFrom(0, 0, 1, repetitions({ usual: 2, long: 30 })),
});

const death: fc.Arbitrary<Death> = fc.record({
  step: fc.integer({ min: 1, max: 24 }),
  when: fc.constantFrom('before' as const, 'after' as const),
});

const entry: fc.Arbitrary<Entry> = fc.record({
  after: fc.integer({ min: 0, max: 500 }),
  deed,
  outage: seldom(outage, 6),
  brokenPayments: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1, 4),
  isSlow: fc.constantFrom(false, false, false, false, false, true),
  death: seldom(death, 3),
  reports: fc.constantFrom(
    'promptly' as const,
    'promptly' as const,
    'twice' as const,
    'late' as const,
    'lost' as const,
  ),
  payer: fc.constantFrom('confirms' as const, 'confirms' as const, 'cancels' as const, 'leaves' as const),
  bankAgrees: fc.constantFrom(true, true, false),
});

/** What becomes of an organisation within about a year. */
export const histories = (entries: { readonly min: number; readonly max: number }): fc.Arbitrary<readonly Entry[]> =>
  fc.array(entry, { minLength: entries.min, maxLength: entries.max, size: 'max' });
