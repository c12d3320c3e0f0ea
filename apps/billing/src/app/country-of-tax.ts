import type { BillingDetailsBook } from '../domain/invoices/invoices.ts';
import type { PriceBook } from '../domain/prices/price-book.ts';

export interface TaxPorts {
  readonly billingDetails: BillingDetailsBook;
  readonly priceBook: PriceBook;
}

/** Where tax is due when nobody has named a country: where the organisation says it is, else the price book's default. */
export const countryOfTax = async ({ billingDetails, priceBook }: TaxPorts, organisationId: string): Promise<string> =>
  (await billingDetails.get(organisationId)).country ?? priceBook.defaultCountry;
