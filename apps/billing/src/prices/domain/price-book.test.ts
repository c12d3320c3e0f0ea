import { describe, expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { majorUnits } from './currency.ts';
import { parsePriceBook } from './parse-price-book.ts';
import { priceOf as priceWithTax, type PriceQuestion } from './price-book.ts';
import { noEvidence, taxOfSale } from './sale-tax.ts';

const text = readFileSync(new URL('../../../config/price-book.json', import.meta.url), 'utf8');
const book = parsePriceBook(text);
const at = new Date('2026-04-01T12:00:00.000Z');
/** For a buyer whose billing details have this country. */
const priceOf = (of: typeof book, question: PriceQuestion, country: string | null = null) =>
  priceWithTax(of, question, taxOfSale(of, { ...noEvidence, billingCountry: country }, at), 'query');
const bare = { credits: null, currency: null, country: null };

describe('the price of credits', () => {
  it('is that of the standard pack, with the tax of the usual country, unless more is said', () => {
    expect(priceOf(book, bare)).toEqual({
      credits: 1000,
      currency: 'EUR',
      country: 'DE',
      subtotal: 1000n,
      tax: 190n,
      total: 1190n,
      taxed: { country: 'DE', treatment: 'STANDARD', basisPoints: 1900n, evidence: noEvidence },
    });
  });

  it('is made of whole cents that add up exactly, and shows as numbers with two decimals', () => {
    const currencies = fc.constantFrom(...book.creditPrices.keys());
    const countries = fc.constantFrom(...book.taxRates.keys(), 'US', 'XK');
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), currencies, countries, (credits, currency, country) => {
        const { subtotal, tax, total } = priceOf(book, { credits, currency, country: null }, country);
        expect(subtotal + tax).toBe(total);
        for (const amount of [subtotal, tax, total]) {
          const shown = majorUnits(amount, currency);
          expect(JSON.stringify(shown)).toMatch(/^\d+(\.\d{1,2})?$/);
          expect(BigInt(Math.round(shown * 100))).toBe(amount);
        }
      }),
      { numRuns: 10_000 },
    );
  });

  it('never falls when more is bought', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9_999_999 }), (credits) => {
        const less = priceOf(book, { ...bare, credits });
        const more = priceOf(book, { ...bare, credits: credits + 1 });
        expect(more.subtotal >= less.subtotal).toBe(true);
      }),
      { numRuns: 10_000 },
    );
  });

  it('counts each credit at the price of its tier', () => {
    const subtotal = (credits: number) => priceOf(book, { ...bare, credits }).subtotal;
    expect(subtotal(9_999)).toBe(9_999n);
    expect(subtotal(20_000)).toBe(9_999n + 9_001n);
  });

  it('takes no tax where none is due', () => {
    expect(priceOf(book, bare, 'US')).toMatchObject({
      tax: 0n,
      subtotal: 1000n,
      total: 1000n,
    });
  });

  it('refuses a currency that nothing is sold in, and says which there are', () => {
    expect(() => priceOf(book, { ...bare, currency: 'XYZ' })).toThrow(DomainError);
    try {
      priceOf(book, { ...bare, currency: 'XYZ' });
    } catch (error) {
      expect((error as DomainError).violations?.[0]).toMatchObject({
        loc: ['query', 'currency'],
        msg: "Input should be 'EUR', 'USD', 'GBP' or 'CHF'",
      });
    }
  });
});

describe('a question about a price', () => {
  it('is told everything that is wrong with it at once', () => {
    try {
      priceOf(book, { ...bare, currency: 'XYZ', country: 'EL' });
      throw new Error('it was not refused');
    } catch (error) {
      const { violations } = error as DomainError;
      expect(violations?.map(({ loc }) => loc)).toEqual([
        ['query', 'currency'],
        ['query', 'country'],
      ]);
    }
  });
});

describe('a currency without decimals, or with three', () => {
  const prices = [{ from_credits: 1, minor_units_per_thousand: 1205 }];
  const other = parsePriceBook(
    JSON.stringify({
      ...(JSON.parse(text) as object),
      default_currency: 'JPY',
      credit_prices: { JPY: prices, KWD: prices },
    }),
  );

  it('has prices in its own minor units', () => {
    expect(priceOf(other, { ...bare, credits: 2000 })).toMatchObject({ currency: 'JPY', subtotal: 2410n, tax: 458n });
    expect(priceOf(other, { ...bare, credits: 2000, currency: 'KWD' })).toMatchObject({ subtotal: 2410n, tax: 460n });
  });
});

describe('a price book', () => {
  it('is refused where nothing can be paid in a currency, or rates have no order', () => {
    const rates = {
      DE: [
        { basis_points: 1600 },
        { from: '2021-01-01', basis_points: 1900 },
        { from: '2020-07-01', basis_points: 1600 },
      ],
    };
    const broken = {
      ...(JSON.parse(text) as object),
      credit_prices: { EUR: [{ from_credits: 1, minor_units_per_thousand: 1 }], XYZ: [] },
      tax_basis_points: rates,
    };
    expect(() => parsePriceBook(JSON.stringify(broken))).toThrow(
      /nothing can be paid in XYZ; .*; the tax rates of DE are not in rising order/,
    );
  });

  it('that cannot be used is refused with all its faults', () => {
    const broken = JSON.stringify({
      ...(JSON.parse(text) as object),
      default_currency: 'JPY',
      default_country: 'EL',
      standard_pack_credits: 0,
      tax_basis_points: { DE: -1 },
    });
    expect(() => parsePriceBook(broken)).toThrow(
      /standard_pack_credits .*; the tax of DE .*; the default currency has no credit prices; the default country does not exist/,
    );
  });
});
