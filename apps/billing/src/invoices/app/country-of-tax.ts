import type { PriceBook } from '../../prices/domain/price-book.ts';
import type { BillingDetailsBook } from '../domain/invoices.ts';

export interface TaxPorts {
  readonly billingDetails: BillingDetailsBook;
  readonly priceBook: PriceBook;
}

/** Where tax is due when nobody has named a country: where the organisation says it is, else the price book's default. */
export const countryOfTax = async ({ billingDetails, priceBook }: TaxPorts, organisationId: string): Promise<string> =>
  (await billingDetails.get(organisationId)).country ?? priceBook.defaultCountry;
