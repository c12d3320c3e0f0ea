import type { PriceBook } from '../../prices/domain/price-book.ts';
import { taxOfSale, type SaleTax } from '../../prices/domain/sale-tax.ts';
import type { BillingDetailsBook, TaxExemptions } from '../domain/invoices.ts';

export interface TaxPorts {
  readonly billingDetails: BillingDetailsBook;
  readonly taxExemptions: TaxExemptions;
  readonly priceBook: PriceBook;
  /** Where the card was issued with which the organisation pays: the one named, else its default. Null: nobody says. */
  readonly cardCountry: (organisationId: string, paymentMethodId: string | null) => Promise<string | null>;
}

/** How what is sold to an organisation at a moment is taxed, by all that is known of it now. */
export async function taxOfOrganisation(
  { billingDetails, taxExemptions, priceBook, cardCountry }: TaxPorts,
  organisationId: string,
  paymentMethodId: string | null,
  at: Date,
): Promise<SaleTax> {
  const [details, card, exemption] = await Promise.all([
    billingDetails.get(organisationId),
    cardCountry(organisationId, paymentMethodId),
    taxExemptions.at(organisationId, at),
  ]);
  const { country: billingCountry, vatId, vatIdStatus, vatIdCountry, vatConsultation } = details;
  const evidence = {
    ...{ billingCountry, cardCountry: card, vatId, vatIdStatus, vatIdCountry, vatConsultation },
    exemption: exemption?.reason ?? null,
  };
  return taxOfSale(priceBook, evidence, at);
}
