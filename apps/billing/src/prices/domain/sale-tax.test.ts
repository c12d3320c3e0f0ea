import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parsePriceBook } from './parse-price-book.ts';
import { isBelowMinimum, noEvidence, taxOfSale, type TaxEvidence } from './sale-tax.ts';

const book = parsePriceBook(readFileSync(new URL('../../../config/price-book.json', import.meta.url), 'utf8'));
const at = new Date('2026-04-01T12:00:00.000Z');
const taxOf = (evidence: Partial<TaxEvidence>, when = at) => {
  const { country, treatment, basisPoints } = taxOfSale(book, { ...noEvidence, ...evidence }, when);
  return `${country} ${treatment} ${basisPoints}`;
};
const business = (country: string, more: Partial<TaxEvidence> = {}): Partial<TaxEvidence> => ({
  billingCountry: country,
  vatId: `${country}1`,
  vatIdCountry: country,
  vatIdStatus: 'VALID',
  ...more,
});

describe('the country of tax', () => {
  it('is that of the billing details, else that of the card, else the usual one', () => {
    expect(taxOf({ billingCountry: 'FR' })).toBe('FR STANDARD 2000');
    expect(taxOf({ billingCountry: 'FR', cardCountry: 'FR' })).toBe('FR STANDARD 2000');
    expect(taxOf({ cardCountry: 'AT' })).toBe('AT STANDARD 2000');
    expect(taxOf({})).toBe('DE STANDARD 1900');
  });

  it('is that of the card where the billing details name another one, unless a VAT ID bears them out', () => {
    expect(taxOf({ billingCountry: 'US', cardCountry: 'DE' })).toBe('DE STANDARD 1900');
    expect(taxOf(business('FR', { cardCountry: 'DE' }))).toBe('FR REVERSE_CHARGE 0');
    expect(taxOf(business('FR', { cardCountry: 'DE', vatIdStatus: 'INVALID' }))).toBe('DE STANDARD 1900');
  });
});

describe('the tax on a sale', () => {
  it('is left to a business in another country of the EU', () => {
    expect(taxOf(business('FR'))).toBe('FR REVERSE_CHARGE 0');
    expect(taxOf(business('GR', { vatIdStatus: 'VERIFIED' }))).toBe('GR REVERSE_CHARGE 0');
  });

  it('is charged to a business in the country of the seller, and outside the EU as everybody', () => {
    expect(taxOf(business('DE'))).toBe('DE STANDARD 1900');
    expect(taxOf(business('CH'))).toBe('CH STANDARD 810');
    expect(taxOf(business('US'))).toBe('US NOT_TAXED 0');
  });

  it('is charged while it is not known whether the register has the VAT ID, and where it has not', () => {
    for (const vatIdStatus of ['PENDING', 'INVALID', 'UNVERIFIED'] as const) {
      expect(taxOf(business('FR', { vatIdStatus }))).toBe('FR STANDARD 2000');
    }
    expect(taxOf(business('FR', { vatIdCountry: 'AT' }))).toBe('FR STANDARD 2000');
  });

  it('is none for who is exempt', () => {
    expect(taxOf({ billingCountry: 'DE', exemption: 'charity' })).toBe('DE EXEMPT 0');
  });

  it('has the rate that is valid at that moment', () => {
    const estonia = (when: string) => taxOf({ billingCountry: 'EE' }, new Date(when));
    expect(estonia('2020-01-01T00:00:00.000Z')).toBe('EE STANDARD 2000');
    expect(estonia('2025-06-30T23:59:59.999Z')).toBe('EE STANDARD 2200');
    expect(estonia('2025-07-01T00:00:00.000Z')).toBe('EE STANDARD 2400');
  });
});

describe('the smallest amount', () => {
  it('is that of its currency, and nothing at all need not be paid', () => {
    expect([0n, 49n, 50n].map((total) => isBelowMinimum(total, 'EUR'))).toEqual([false, true, false]);
    expect(isBelowMinimum(49n, 'JPY')).toBe(true);
  });
});
