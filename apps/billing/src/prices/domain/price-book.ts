import { fieldViolation, invalid, type Violation } from '@platform-backend/core';
import type { InputSource } from './country.ts';
import { notSoldIn, roundedHalfUp } from './currency.ts';
import { taxOn, type SaleTax, type TaxTerms } from './sale-tax.ts';

/** What a thousand credits cost from a number of bought credits on. */
export interface CreditPriceTier {
  readonly fromCredits: bigint;
  readonly minorUnitsPerThousand: bigint;
}

/** What everything costs. Prices are without tax, in minor units of their currency. */
export interface PriceBook extends TaxTerms {
  readonly defaultCurrency: string;
  readonly standardPackCredits: number;
  readonly purchasedCreditsExpireAfterDays: number;
  /** Given once to every organisation; 0 gives nothing. */
  readonly welcomeCredits: number;
  readonly welcomeCreditsExpireAfterDays: number;
  /** By ISO 4217 currency; rising, the first from 1 credit. */
  readonly creditPrices: ReadonlyMap<string, readonly CreditPriceTier[]>;
  /** What the tax is called on invoices: `VAT`. */
  readonly taxLabel: string;
  /** By ISO 3166-1 country, where it has another name. */
  readonly taxLabels: ReadonlyMap<string, string>;
}

export interface PriceQuestion {
  readonly credits: number | null;
  readonly currency: string | null;
  /** Where the asker believes tax to be due; it decides nothing. */
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
  /** Null: it was made before it was kept how it is taxed. */
  readonly taxed: SaleTax | null;
}

/**
 * The price of credits (D22). Each tier's price holds for the credits within it, so that buying more never costs less;
 * fractions of a minor unit are rounded half up once, at the subtotal and at the tax. INVALID: a currency without a
 * price, or a country other than the one where the evidence says that tax is due.
 */
export function priceOf(book: PriceBook, question: PriceQuestion, taxed: SaleTax, asked: InputSource): Price {
  const credits = question.credits ?? book.standardPackCredits;
  const currency = question.currency ?? book.defaultCurrency;
  const { country } = taxed;
  const tiers = book.creditPrices.get(currency);
  const wrongCountry = otherCountry(question.country, country, asked);
  if (!tiers) throw invalid([notSoldIn([...book.creditPrices.keys()], currency, asked), ...wrongCountry]);
  if (wrongCountry.length > 0) throw invalid(wrongCountry);
  const subtotal = roundedHalfUp(thousandths(tiers, BigInt(credits)), 1000n, currency);
  const tax = taxOn(taxed, subtotal, currency);
  return { credits, currency, country, subtotal, tax, total: subtotal + tax, taxed };
}

/** A buyer can say where tax is due, and is told so where that is not true; it is not theirs to choose. */
function otherCountry(named: string | null, country: string, asked: InputSource): readonly Violation[] {
  if (named === null || named === country) return [];
  const error = `tax is due in ${country}, by the billing details and the card: leave the country out`;
  return [fieldViolation([asked, 'country'], error, named, { error })];
}

export const taxLabelIn = (book: PriceBook, country: string): string => book.taxLabels.get(country) ?? book.taxLabel;

/** The price in thousandths of a minor unit: exact, since prices are whole minor units per thousand. */
function thousandths(tiers: readonly CreditPriceTier[], credits: bigint): bigint {
  return tiers.reduce((sum, { fromCredits, minorUnitsPerThousand }, at) => {
    const end = tiers[at + 1]?.fromCredits ?? credits + 1n;
    const last = credits < end - 1n ? credits : end - 1n;
    return last < fromCredits ? sum : sum + (last - fromCredits + 1n) * minorUnitsPerThousand;
  }, 0n);
}
