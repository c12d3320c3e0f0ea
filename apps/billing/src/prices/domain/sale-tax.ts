import { currencyOf, roundedHalfUp } from './currency.ts';
import { taxRateAt, type TaxRates } from './tax-rates.ts';

/**
 * How a sale is taxed: at the rate of the country, by the buyer, not at all since the buyer is exempt, or not at all since none
 * is due there.
 */
export type TaxTreatment = 'STANDARD' | 'REVERSE_CHARGE' | 'EXEMPT' | 'NOT_TAXED';

/**
 * What is known of a VAT ID: `UNVERIFIED`: nobody here knows its format; `VALID`: its format and check digits are right;
 * `PENDING`: so, and the register is to be asked again; `VERIFIED` and `INVALID`: what the register has said.
 */
export type VatIdStatus = 'UNVERIFIED' | 'VALID' | 'PENDING' | 'VERIFIED' | 'INVALID';

/** From what it is found where a sale is taxed, and how; it is kept with the invoice. */
export interface TaxEvidence {
  /** ISO 3166-1, from the billing details; null: they have none. */
  readonly billingCountry: string | null;
  /** ISO 3166-1, of the card, by the processor; null: it does not say. */
  readonly cardCountry: string | null;
  /** Empty: none. */
  readonly vatId: string;
  /** Null: there is no VAT ID. */
  readonly vatIdStatus: VatIdStatus | null;
  /** ISO 3166-1: whose VAT ID it is, where that is known. */
  readonly vatIdCountry: string | null;
  /** The number under which the register has answered. */
  readonly vatConsultation: string | null;
  /** Why the buyer is exempt; null: it is not. */
  readonly exemption: string | null;
}

export const noEvidence: TaxEvidence = {
  billingCountry: null,
  cardCountry: null,
  vatId: '',
  vatIdStatus: null,
  vatIdCountry: null,
  vatConsultation: null,
  exemption: null,
};

/** How a sale is taxed, and why. */
export interface SaleTax {
  /** ISO 3166-1: where the tax is due. */
  readonly country: string;
  readonly treatment: TaxTreatment;
  /** Hundredths of a percent. */
  readonly basisPoints: bigint;
  /** Null: it was agreed before evidence was kept. */
  readonly evidence: TaxEvidence | null;
}

/** By what sales are taxed. */
export interface TaxTerms {
  /** Where tax is due while nothing is known of a buyer. */
  readonly defaultCountry: string;
  /** Where the seller is, which decides whose tax it is. */
  readonly sellerCountry: string;
  /** By ISO 3166-1 country. */
  readonly taxRates: ReadonlyMap<string, TaxRates>;
  /** Hundredths of a percent. */
  readonly otherCountriesTaxBasisPoints: bigint;
}

/** How what is sold to a buyer at a moment is taxed. */
export function taxOfSale(book: TaxTerms, evidence: TaxEvidence, at: Date): SaleTax {
  const country = countryOf(book, evidence);
  if (evidence.exemption !== null) return { country, treatment: 'EXEMPT', basisPoints: 0n, evidence };
  const isReversed =
    isInEu(country) && isInEu(book.sellerCountry) && country !== book.sellerCountry && confirms(evidence, country);
  if (isReversed) return { country, treatment: 'REVERSE_CHARGE', basisPoints: 0n, evidence };
  const rates = book.taxRates.get(country);
  const basisPoints = rates ? taxRateAt(rates, at).basisPoints : book.otherCountriesTaxBasisPoints;
  return { country, treatment: basisPoints > 0n ? 'STANDARD' : 'NOT_TAXED', basisPoints, evidence };
}

/**
 * The billing details say where the buyer is. Where the bank that has issued the card says otherwise, it is believed: a buyer can
 * write any country, and not the bank's; unless a VAT ID of the country bears the billing details out.
 */
function countryOf({ defaultCountry }: TaxTerms, evidence: TaxEvidence): string {
  const { billingCountry, cardCountry } = evidence;
  if (billingCountry === null) return cardCountry ?? defaultCountry;
  return cardCountry === null || confirms(evidence, billingCountry) ? billingCountry : cardCountry;
}

/** Whether a VAT ID that is not known to be wrong says that the buyer is a business there. */
const confirms = ({ vatIdCountry, vatIdStatus }: TaxEvidence, country: string): boolean =>
  vatIdCountry === country && (vatIdStatus === 'VALID' || vatIdStatus === 'VERIFIED');

/** The tax on an amount of minor units, rounded half up to what can be paid. */
export const taxOn = ({ basisPoints }: Pick<SaleTax, 'basisPoints'>, amount: bigint, currency: string): bigint =>
  roundedHalfUp(amount * basisPoints, 10_000n, currency);

/** What the law wants to be said about the tax; empty: nothing. */
export function taxNote({ treatment, evidence }: Pick<SaleTax, 'treatment' | 'evidence'>): string {
  switch (treatment) {
    case 'REVERSE_CHARGE':
      return 'Reverse charge: the recipient accounts for the VAT (Articles 44 and 196 of Directive 2006/112/EC).';
    case 'EXEMPT':
      return `Exempt from tax: ${evidence?.exemption ?? ''}`;
    case 'STANDARD':
    case 'NOT_TAXED':
      return '';
  }
}

/** Whether an amount is smaller than what can be paid; nothing at all need not be. */
export const isBelowMinimum = (total: bigint, currency: string): boolean =>
  total > 0n && total < currencyOf(currency).minimum;

/** Member states of the EU, by ISO 3166-1. Northern Ireland counts for goods alone. */
export const memberStates: ReadonlySet<string> = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '),
);

export const isInEu = (country: string): boolean => memberStates.has(country);
