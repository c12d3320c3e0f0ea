import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parsePriceBook } from '../../prices/domain/parse-price-book.ts';
import { noEvidence } from '../../prices/domain/sale-tax.ts';
import type { InvoiceDraft } from './invoice.ts';
import { taxOf } from './invoice.ts';

const text = readFileSync(new URL('../../../config/price-book.json', import.meta.url), 'utf8');
const at = new Date('2026-04-01T12:00:00.000Z');
const draft = (country: string, taxMinor: bigint): InvoiceDraft => ({
  source: 'purchase:1',
  currency: 'EUR',
  country,
  lines: [],
  subtotalMinor: 1000n,
  taxMinor,
  totalMinor: 1000n + taxMinor,
  taxed: null,
});

describe('the tax on an invoice', () => {
  it('has the name and the rate of the country', () => {
    const terms = { priceBook: parsePriceBook(text) };
    expect(taxOf(draft('DE', 190n), terms, at)).toEqual({ label: 'VAT', basisPoints: 1900, note: '' });
    expect(taxOf(draft('US', 0n), terms, at)).toEqual({ label: 'Sales tax', basisPoints: 0, note: '' });
  });

  it('has no rate where the one of today does not make it', () => {
    const terms = { priceBook: parsePriceBook(text) };
    expect(taxOf(draft('DE', 160n), terms, at)).toEqual({ label: 'VAT', basisPoints: null, note: '' });
  });

  it('is what was reckoned when the payment began, whatever the rate is when it ends', () => {
    const taxed = { country: 'EE', treatment: 'STANDARD', basisPoints: 2200n, evidence: null } as const;
    const issued = taxOf({ ...draft('EE', 220n), taxed }, { priceBook: parsePriceBook(text) }, at);
    expect(issued).toEqual({ label: 'VAT', basisPoints: 2200, note: '' });
  });

  it('says what the law wants to be said', () => {
    const terms = { priceBook: parsePriceBook(text) };
    const noteOf = (taxed: InvoiceDraft['taxed']) => taxOf({ ...draft('FR', 0n), taxed }, terms, at).note;
    const untaxed = { country: 'FR', basisPoints: 0n, evidence: { ...noEvidence, exemption: 'certificate 12' } };
    expect(noteOf({ ...untaxed, treatment: 'REVERSE_CHARGE' })).toContain('Reverse charge');
    expect(noteOf({ ...untaxed, treatment: 'REVERSE_CHARGE' })).toContain('2006/112/EC');
    expect(noteOf({ ...untaxed, treatment: 'EXEMPT' })).toBe('Exempt from tax: certificate 12');
    expect(noteOf({ ...untaxed, treatment: 'NOT_TAXED' })).toBe('');
  });

  it('is called tax where the price book does not say what it is called', () => {
    const { tax_label: _label, tax_labels: _labels, ...older } = JSON.parse(text) as Record<string, unknown>;
    const terms = { priceBook: parsePriceBook(JSON.stringify(older)) };
    expect(taxOf(draft('US', 0n), terms, at)).toEqual({ label: 'Tax', basisPoints: 0, note: '' });
  });

  it('must be called something in every country that has its own name for it', () => {
    const book = { ...(JSON.parse(text) as object), tax_labels: { US: '' } };
    expect(() => parsePriceBook(JSON.stringify(book))).toThrow('the tax label of US is no text');
  });
});
