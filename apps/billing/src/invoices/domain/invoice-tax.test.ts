import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parsePriceBook } from '../../prices/domain/parse-price-book.ts';
import type { InvoiceDraft } from './invoice.ts';
import { taxOf } from './invoice.ts';
import { sellerOf } from './seller.ts';

const text = readFileSync(new URL('../../../config/price-book.json', import.meta.url), 'utf8');
const seller = sellerOf('Acme', undefined, undefined);
const draft = (country: string, taxMinor: bigint): InvoiceDraft => ({
  source: 'purchase:1',
  currency: 'EUR',
  country,
  lines: [],
  subtotalMinor: 1000n,
  taxMinor,
  totalMinor: 1000n + taxMinor,
});

describe('the tax on an invoice', () => {
  it('has the name and the rate of the country', () => {
    const terms = { seller, priceBook: parsePriceBook(text) };
    expect(taxOf(draft('DE', 190n), terms)).toEqual({ label: 'VAT', basisPoints: 1900 });
    expect(taxOf(draft('US', 0n), terms)).toEqual({ label: 'Sales tax', basisPoints: 0 });
  });

  it('has no rate where the one of today does not make it', () => {
    const terms = { seller, priceBook: parsePriceBook(text) };
    expect(taxOf(draft('DE', 160n), terms)).toEqual({ label: 'VAT', basisPoints: null });
  });

  it('is called tax where the price book does not say what it is called', () => {
    const { tax_label: _label, tax_labels: _labels, ...older } = JSON.parse(text) as Record<string, unknown>;
    const terms = { seller, priceBook: parsePriceBook(JSON.stringify(older)) };
    expect(taxOf(draft('US', 0n), terms)).toEqual({ label: 'Tax', basisPoints: 0 });
  });

  it('must be called something in every country that has its own name for it', () => {
    const book = { ...(JSON.parse(text) as object), tax_labels: { US: '' } };
    expect(() => parsePriceBook(JSON.stringify(book))).toThrow('the tax label of US is no text');
  });
});
