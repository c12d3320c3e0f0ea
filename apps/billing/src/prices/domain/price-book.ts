import { invalid, type Violation } from '@platform-backend/core';
import { unknownCountry, type InputSource } from './country.ts';

/** What a thousand credits cost from a number of bought credits on. */
export interface CreditPriceTier {
  readonly fromCredits: bigint;
  readonly minorUnitsPerThousand: bigint;
}

/** What everything costs. Prices are without tax, in minor units (cents) of currencies that have a hundred of them. */
export interface PriceBook {
  readonly defaultCurrency: string;
  readonly defaultCountry: string;
  readonly standardPackCredits: number;
  readonly purchasedCreditsExpireAfterDays: number;
  /** Given once to every organisation; 0 gives nothing. */
  readonly welcomeCredits: number;
  readonly welcomeCreditsExpireAfterDays: number;
  /** By ISO 4217 currency; rising, the first from 1 credit. */
  readonly creditPrices: ReadonlyMap<string, readonly CreditPriceTier[]>;
  /** By ISO 3166-1 country, in hundredths of a percent. */
  readonly taxBasisPoints: ReadonlyMap<string, bigint>;
  readonly otherCountriesTaxBasisPoints: bigint;
  /** What the tax is called on invoices: `VAT`. */
  readonly taxLabel: string;
  /** By ISO 3166-1 country, where it has another name. */
  readonly taxLabels: ReadonlyMap<string, string>;
}

export interface PriceQuestion {
  readonly credits: number | null;
  readonly currency: string | null;
  readonly country: string | null;
}

/** What a number of credits costs; subtotal + tax is total, always. */
export interface Price {
  readonly credits: number;
  readonly currency: string;
  readonly country: string;
  /** Minor units, as the next two. */
  readonly subtotal: bigint;
  readonly tax: bigint;
  readonly total: bigint;
}

/**
 * The price of credits (D22). Each tier's price holds for the credits within it, so that buying more never costs less;
 * fractions of a minor unit are rounded half up once, at the subtotal and at the tax. INVALID: a currency without a
 * price, a country that does not exist.
 */
export function priceOf(book: PriceBook, question: PriceQuestion, asked: InputSource): Price {
  const credits = question.credits ?? book.standardPackCredits;
  const currency = question.currency ?? book.defaultCurrency;
  const country = question.country ?? book.defaultCountry;
  const tiers = book.creditPrices.get(currency);
  const wrongCountry = unknownCountry(country, asked);
  if (!tiers) throw invalid([unknownCurrency(book, currency, asked), ...wrongCountry]);
  if (wrongCountry.length > 0) throw invalid(wrongCountry);
  const subtotal = roundedHalfUp(thousandths(tiers, BigInt(credits)), 1000n);
  const tax = taxOn(book, country, subtotal);
  return { credits, currency, country, subtotal, tax, total: subtotal + tax };
}

/** The tax on an amount of minor units, rounded half up. */
export const taxOn = (book: PriceBook, country: string, amount: bigint): bigint =>
  taxAt(taxBasisPointsIn(book, country), amount);

/** The tax at a rate in hundredths of a percent, rounded half up. */
export const taxAt = (basisPoints: bigint, amount: bigint): bigint => roundedHalfUp(amount * basisPoints, 10_000n);

/** In hundredths of a percent. */
export const taxBasisPointsIn = (book: PriceBook, country: string): bigint =>
  book.taxBasisPoints.get(country) ?? book.otherCountriesTaxBasisPoints;

export const taxLabelIn = (book: PriceBook, country: string): string => book.taxLabels.get(country) ?? book.taxLabel;

/** Minor units in major ones. The nearest double to a number with two decimals prints as that number. */
export const majorUnits = (minor: bigint): number => Number(minor) / 100;

/** The price in thousandths of a minor unit: exact, since prices are whole minor units per thousand. */
function thousandths(tiers: readonly CreditPriceTier[], credits: bigint): bigint {
  return tiers.reduce((sum, { fromCredits, minorUnitsPerThousand }, at) => {
    const end = tiers[at + 1]?.fromCredits ?? credits + 1n;
    const last = credits < end - 1n ? credits : end - 1n;
    return last < fromCredits ? sum : sum + (last - fromCredits + 1n) * minorUnitsPerThousand;
  }, 0n);
}

/** Amounts here are never negative. */
const roundedHalfUp = (amount: bigint, unit: bigint): bigint => (amount + unit / 2n) / unit;

function unknownCurrency(book: PriceBook, currency: string, asked: InputSource): Violation {
  const names = [...book.creditPrices.keys()].map((name) => `'${name}'`);
  const expected = names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}` : names.join('');
  return {
    type: 'enum',
    loc: [asked, 'currency'],
    msg: `Input should be ${expected}`,
    input: currency,
    ctx: { expected },
  };
}
