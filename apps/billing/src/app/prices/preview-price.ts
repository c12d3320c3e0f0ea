import { priceOf, type Price, type PriceQuestion } from '../../domain/prices/price-book.ts';
import { countryOfTax, type CountryOfTaxParts } from './country-of-tax.ts';

/** What a purchase of credits would cost the organisation. */
export const previewPrice = (parts: CountryOfTaxParts) => {
  const usualCountry = countryOfTax(parts);
  return async (organisationId: string, question: PriceQuestion): Promise<Price> => {
    const country = question.country ?? (await usualCountry(organisationId));
    return priceOf(parts.priceBook, { ...question, country }, 'query');
  };
};
