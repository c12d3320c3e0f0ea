import { isCountry } from './country.ts';
import { isCurrency } from './currency.ts';
import type { CreditPriceTier, PriceBook } from './price-book.ts';
import type { TaxRate, TaxRates } from './tax-rates.ts';

/** Reads a price book from JSON (config/price-book.json). Throws one error that names everything wrong with it. */
export function parsePriceBook(text: string): PriceBook {
  const problems: string[] = [];
  const book = new Reader(JSON.parse(text), 'the price book', problems);
  const parsed: PriceBook = {
    defaultCurrency: book.text('default_currency'),
    defaultCountry: book.text('default_country'),
    sellerCountry: book.text('seller_country', book.text('default_country')),
    standardPackCredits: book.count('standard_pack_credits', 1),
    purchasedCreditsExpireAfterDays: book.count('purchased_credits_expire_after_days', 1),
    welcomeCredits: book.count('welcome_credits', 0),
    welcomeCreditsExpireAfterDays: book.count('welcome_credits_expire_after_days', 1),
    creditPrices: book.each('credit_prices', /^[A-Z]{3}$/, (value, name) => tiersOf(value, name, problems)),
    taxRates: book.each('tax_basis_points', /^[A-Z]{2}$/, (value, name) => ratesOf(value, name, problems)),
    otherCountriesTaxBasisPoints: BigInt(book.count('other_countries_tax_basis_points', 0)),
    taxLabel: book.text('tax_label', 'Tax'),
    taxLabels: book.each('tax_labels', /^[A-Z]{2}$/, (value, name) => label(value, name, problems), {}),
  };
  if (!parsed.creditPrices.has(parsed.defaultCurrency)) problems.push('the default currency has no credit prices');
  if (!isCountry(parsed.sellerCountry)) problems.push('the country of the seller does not exist');
  if (!isCountry(parsed.defaultCountry)) problems.push('the default country does not exist');
  if (problems.length > 0) throw new Error(`The price book cannot be used: ${problems.join('; ')}.`);
  return parsed;
}

function tiersOf(value: unknown, currency: string, problems: string[]): CreditPriceTier[] {
  if (!isCurrency(currency)) problems.push(`nothing can be paid in ${currency}`);
  if (!Array.isArray(value) || value.length === 0) {
    problems.push(`${currency} has no list of credit prices`);
    return [];
  }
  const tiers = value.map((each, at): CreditPriceTier => {
    const tier = new Reader(each, `price ${at + 1} of ${currency}`, problems);
    return {
      fromCredits: BigInt(tier.count('from_credits', 1)),
      minorUnitsPerThousand: BigInt(tier.count('minor_units_per_thousand', 0)),
    };
  });
  if (tiers[0]?.fromCredits !== 1n) problems.push(`the first price of ${currency} is not from 1 credit`);
  const rises = tiers.every(({ fromCredits }, at) => at === 0 || fromCredits > (tiers[at - 1]?.fromCredits ?? 0n));
  if (!rises) problems.push(`the prices of ${currency} are not in rising order`);
  return tiers;
}

/** One rate for all times, or a list in which each has the day from which it is valid, but for the first. */
function ratesOf(value: unknown, country: string, problems: string[]): TaxRates {
  if (!Array.isArray(value)) return [{ from: null, basisPoints: basisPoints(value, country, problems) }];
  const [first, ...later] = value.map((each): TaxRate => {
    const { from, basis_points: rate } = each as { readonly from?: unknown; readonly basis_points?: unknown };
    const day = from === undefined ? null : new Date(typeof from === 'string' ? `${from}T00:00:00.000Z` : NaN);
    if (day !== null && Number.isNaN(day.getTime())) problems.push(`a tax rate of ${country} is valid from no day`);
    return { from: day, basisPoints: basisPoints(rate, country, problems) };
  });
  if (!first) problems.push(`${country} has an empty list of tax rates`);
  const rates: TaxRates = [first ?? { from: null, basisPoints: 0n }, ...later];
  const inOrder = rates.every(({ from }, at) =>
    at === 0 ? from === null : from !== null && from > (rates[at - 1]?.from ?? new Date(0)),
  );
  if (!inOrder) problems.push(`the tax rates of ${country} are not in rising order, with a first one from no day`);
  return rates;
}

function basisPoints(value: unknown, country: string, problems: string[]): bigint {
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) < 10_000) return BigInt(value as number);
  problems.push(`the tax of ${country} is not from 0 to 9999 hundredths of a percent`);
  return 0n;
}

function label(value: unknown, country: string, problems: string[]): string {
  if (typeof value === 'string' && value !== '') return value;
  problems.push(`the tax label of ${country} is no text`);
  return '';
}

/** Reads fields and notes what is wrong with them, so that all of it is told at once. */
class Reader {
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #what: string;
  readonly #problems: string[];

  constructor(value: unknown, what: string, problems: string[]) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject) problems.push(`${what} is no object`);
    this.#fields = isObject ? (value as Record<string, unknown>) : {};
    this.#what = what;
    this.#problems = problems;
  }

  text(name: string, unlessGiven?: string): string {
    const value = this.#fields[name] ?? unlessGiven;
    if (typeof value === 'string') return value;
    this.#problems.push(`${name} of ${this.#what} is no text`);
    return '';
  }

  count(name: string, least: number): number {
    const value = this.#fields[name];
    if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
    this.#problems.push(`${name} of ${this.#what} is no whole number of at least ${least}`);
    return least;
  }

  each<Value>(
    name: string,
    key: RegExp,
    read: (value: unknown, key: string) => Value,
    unlessGiven?: object,
  ): Map<string, Value> {
    const entries = new Reader(this.#fields[name] ?? unlessGiven, name, this.#problems).#fields;
    const wrong = Object.keys(entries).filter((each) => !key.test(each));
    for (const each of wrong) this.#problems.push(`${name} has the unknown key ${each}`);
    return new Map(Object.entries(entries).map(([each, value]) => [each, read(value, each)]));
  }
}
