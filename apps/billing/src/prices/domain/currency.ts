import type { Violation } from '@platform-backend/core';
import type { InputSource } from './country.ts';

/** Money as payment processors take it. */
export interface Currency {
  /** ISO 4217. */
  readonly code: string;
  /** Decimals of an amount: a minor unit is one of the last of them. */
  readonly digits: number;
  /** Amounts are a multiple of so many minor units. */
  readonly step: bigint;
  /** The smallest amount that can be paid, in minor units. */
  readonly minimum: bigint;
}

/*
 * Stripe's tables (docs.stripe.com/currencies), and neither `Intl` nor a library: minor units are what the processor takes
 * for one, which for ISK and UGX is not what ISO 4217 says, and no library has the smallest amounts.
 */
const twoDecimals = [
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CNY COP CRC CVE',
  'CZK DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR ISK JMD KES KGS KHR KYD KZT',
  'LAK LBP LKR LRD LSL MAD MDL MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN',
  'QAR RON RSD RUB SAR SBD SCR SEK SGD SHP SLE SOS SRD STD SZL THB TJS TOP TRY TTD TWD TZS UAH UGX USD UYU UZS WST XCD',
  'YER ZAR ZMW',
];
const noDecimals = ['BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'];
const threeDecimals = ['BHD JOD KWD OMR TND'];

/** These take amounts of whole units alone, although they are written with two decimals. */
const wholeUnits = new Set(['ISK', 'UGX']);

/** In minor units. Where the table names none the smallest amount is one step. */
const minimums: Readonly<Record<string, bigint>> = {
  ...{ AED: 200n, AUD: 50n, BGN: 100n, BRL: 50n, CAD: 50n, CHF: 50n, CZK: 1500n, DKK: 250n, EUR: 50n, GBP: 30n },
  ...{ HKD: 400n, HUF: 17500n, INR: 50n, JPY: 50n, MXN: 1000n, MYR: 200n, NOK: 300n, NZD: 50n, PLN: 200n, RON: 200n },
  ...{ SEK: 300n, SGD: 50n, THB: 1000n, USD: 50n },
};

const withDigits = (lines: readonly string[], digits: number): Currency[] =>
  lines
    .flatMap((line) => line.split(' '))
    .map((code) => {
      const step = wholeUnits.has(code) ? 100n : digits === 3 ? 10n : 1n;
      return { code, digits, step, minimum: minimums[code] ?? step };
    });

const currencies: ReadonlyMap<string, Currency> = new Map(
  [...withDigits(noDecimals, 0), ...withDigits(twoDecimals, 2), ...withDigits(threeDecimals, 3)].map((currency) => [
    currency.code,
    currency,
  ]),
);

/** Whether anything can be paid in it. */
export const isCurrency = (code: string): boolean => currencies.has(code);

/** Throws for one in which nothing can be paid: what is sold in is checked when prices are read. */
export function currencyOf(code: string): Currency {
  const currency = currencies.get(code);
  if (!currency) throw new Error(`nothing can be paid in ${code}`);
  return currency;
}

/** Minor units in major ones, as a number: the nearest double to a number with so few decimals prints as that number. */
export const majorUnits = (minor: bigint, code: string): number => Number(minor) / 10 ** currencyOf(code).digits;

/** Minor units as they are written, exactly: `1234` is `12.34` in EUR, `1234` in JPY and `1.234` in KWD. */
export function amountText(minor: bigint, code: string): string {
  const { digits } = currencyOf(code);
  const figures = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, '0');
  const [whole, decimals] = [figures.slice(0, figures.length - digits), figures.slice(figures.length - digits)];
  return `${minor < 0n ? '-' : ''}${whole}${digits > 0 ? `.${decimals}` : ''}`;
}

/** A fraction of a currency's minor units, rounded half up to what can be paid. It is never negative here. */
export function roundedHalfUp(amount: bigint, divisor: bigint, code: string): bigint {
  const { step } = currencyOf(code);
  const unit = divisor * step;
  return ((amount + unit / 2n) / unit) * step;
}

/** What is wrong with a currency in which nothing is sold. */
export function notSoldIn(sold: readonly string[], currency: string, asked: InputSource): Violation {
  const names = sold.map((name) => `'${name}'`);
  const expected = names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}` : names.join('');
  return {
    type: 'enum',
    loc: [asked, 'currency'],
    msg: `Input should be ${expected}`,
    input: currency,
    ctx: { expected },
  };
}
