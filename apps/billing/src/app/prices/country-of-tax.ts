import type { PriceBook } from '../../domain/prices/price-book.ts';
import type { BillingDetailsBook } from '../../domain/invoices/invoices.ts';

export interface CountryOfTaxParts {
  readonly billingDetails: BillingDetailsBook;
  readonly priceBook: PriceBook;
}

/** Where tax is due when nobody has named a country: where the organisation says it is, else the price book's default. */
export const countryOfTax =
  ({ billingDetails, priceBook }: CountryOfTaxParts) =>
  async (organisationId: string): Promise<string> =>
    (await billingDetails.get(organisationId)).country ?? priceBook.defaultCountry;
