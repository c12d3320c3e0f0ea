import { WrongUsage } from '@platform-backend/command-line';
import type { Clock } from '@platform-backend/core';
import {
  requireNoMore,
  textOptions,
  withoutWords,
  wordsCommand,
  type OperatorGroup,
  type OperatorParts,
} from '../../operator-arguments.ts';
import { isCurrency } from '../../prices/domain/currency.ts';
import { normalisedCode, type Coupon, type CouponDuration } from '../domain/coupon.ts';
import type { Coupons } from '../domain/coupons.ts';

export interface CouponCommandParts extends OperatorParts {
  readonly coupons: Coupons;
  readonly clock: Clock;
}

const options = {
  ...textOptions('percent', 'amount', 'currency', 'months', 'redeem-by', 'max-redemptions'),
  forever: { type: 'boolean' },
} as const;

/** `npm run -s billing -- coupons create|list|archive`. */
export const couponCommands: OperatorGroup<CouponCommandParts> = {
  usage: `npm run -s billing -- coupons create CODE (--percent N | --amount MINOR --currency CUR)
                                [--months N | --forever] [--redeem-by TIME] [--max-redemptions N]
npm run -s billing -- coupons list
npm run -s billing -- coupons archive CODE`,
  help: `  coupons create    a promotion code that takes so many percent, or an amount, off a cycle of a subscription: off the next one,
                    off each that begins within N months, or off all. Each organisation redeems it once
  coupons list      the newest first, with how often each was redeemed
  coupons archive   nobody redeems it any more; who has keeps what is left of it`,
  command: wordsCommand<CouponCommandParts, typeof options>('coupons', options, {
    create: async ({ coupons, clock, write }, { words, values }) => {
      const { 'redeem-by': redeemBy, 'max-redemptions': maxRedemptions } = values;
      const at = clock.now();
      const coupon: Coupon = {
        code: onlyCode(words),
        ...takenOff(values.percent, values.amount, values.currency),
        ...lasting(values.months, values.forever === true),
        redeemBy: redeemBy === undefined ? null : momentToCome(redeemBy, at),
        maxRedemptions: maxRedemptions === undefined ? null : numberOf('--max-redemptions', maxRedemptions, 1_000_000),
        ...{ redemptions: 0, archivedAt: null, createdAt: at },
      };
      if (!(await coupons.add(coupon))) throw new WrongUsage(`There is a coupon ${coupon.code} already.`);
      write(couponLine(coupon));
    },
    list: withoutWords(async ({ coupons, write }) => {
      for (const coupon of await coupons.list()) write(couponLine(coupon));
    }),
    archive: async ({ coupons, clock, write }, { words }) => {
      const [code, archivedAt] = [onlyCode(words), clock.now()];
      if (!(await coupons.archive(code, archivedAt)))
        throw new WrongUsage(`There is no coupon ${code} that is not archived.`);
      write({ code, archivedAt });
    },
  }),
};

function onlyCode([code = '', ...more]: readonly string[]): string {
  requireNoMore(more);
  if (!/^[\w-]{1,40}$/.test(code)) throw new WrongUsage('A CODE is up to 40 letters, digits, - and _.');
  return normalisedCode(code);
}

function takenOff(percent: string | undefined, amount: string | undefined, currency: string | undefined) {
  if ((percent === undefined) === (amount === undefined)) throw new WrongUsage('Say either --percent or --amount.');
  if (percent !== undefined) {
    if (currency !== undefined) throw new WrongUsage('--currency is that of an --amount.');
    return { percentOff: numberOf('--percent', percent, 100), amountOffMinor: null, currency: null };
  }
  if (currency === undefined || !isCurrency(currency))
    throw new WrongUsage('An --amount has a --currency, such as EUR.');
  const amountOffMinor = BigInt(numberOf('--amount', amount ?? '', 1_000_000_000));
  return { percentOff: null, amountOffMinor, currency };
}

function lasting(
  months: string | undefined,
  forever: boolean,
): { readonly duration: CouponDuration; readonly durationMonths: number | null } {
  if (months !== undefined && forever) throw new WrongUsage('Say either --months or --forever.');
  if (months !== undefined) return { duration: 'REPEATING', durationMonths: numberOf('--months', months, 120) };
  return { duration: forever ? 'FOREVER' : 'ONCE', durationMonths: null };
}

function numberOf(option: string, text: string, max: number): number {
  const number = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (number > 0 && number <= max) return number;
  throw new WrongUsage(`${option} is a number from 1 to ${String(max)}, and not "${text}".`);
}

function momentToCome(text: string, now: Date): Date {
  const at = new Date(text);
  if (at > now) return at;
  throw new WrongUsage(`--redeem-by is a time to come, such as 2099-01-31, and not "${text}".`);
}

const couponLine = ({ amountOffMinor, ...coupon }: Coupon) => ({
  ...coupon,
  amountOffMinor: amountOffMinor?.toString() ?? null,
});
