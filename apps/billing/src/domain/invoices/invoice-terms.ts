import { taxBasisPointsIn, taxLabelIn, taxOn, type PriceBook } from '../prices/price-book.ts';
import type { InvoiceDraft, InvoiceTax } from './invoice.ts';
import type { Seller } from './seller.ts';

/** What an invoice says beside what was paid for. */
export interface InvoiceTerms {
  readonly seller: Seller;
  readonly priceBook: PriceBook;
}

/**
 * What an invoice says about its tax. The tax was reckoned when the payment began; should rates have changed since, it
 * names none rather than a wrong one.
 */
export function taxOf({ country, subtotalMinor, taxMinor }: InvoiceDraft, { priceBook }: InvoiceTerms): InvoiceTax {
  const explains = taxOn(priceBook, country, subtotalMinor) === taxMinor;
  return {
    label: taxLabelIn(priceBook, country),
    basisPoints: explains ? Number(taxBasisPointsIn(priceBook, country)) : null,
  };
}
