import { invalid } from '@platform/core';
import type { BillingEvent } from '../billing-event.ts';
import { unknownCountry } from '../prices/country.ts';

/** What an organisation wants on its invoices; empty where it wants nothing. */
export interface BuyerDetails {
  readonly companyName: string;
  readonly addressLines: readonly string[];
  /** As it was given: nobody has checked it. */
  readonly vatId: string;
}

export interface BillingDetails extends BuyerDetails {
  /** ISO 3166-1: where tax is due unless a purchase says otherwise; null: unknown. Invoices have a country of their own. */
  readonly country: string | null;
}

export const noBuyerDetails: BuyerDetails = { companyName: '', addressLines: [], vatId: '' };

/** Without the spaces around each text, and without lines that hold nothing else. INVALID: there is no such country. */
export function tidied({ companyName, addressLines, vatId, country }: BillingDetails): BillingDetails {
  const wrong = country === null ? [] : unknownCountry(country, 'body');
  if (wrong.length > 0) throw invalid(wrong);
  return {
    companyName: companyName.trim(),
    addressLines: addressLines.map((line) => line.trim()).filter((line) => line !== ''),
    vatId: vatId.trim(),
    country,
  };
}

/** The fact that they have changed; none when they have not. */
export function billingDetailsChanged(
  organisationId: string,
  before: BillingDetails,
  after: BillingDetails,
  at: Date,
): readonly BillingEvent[] {
  const changed = [
    ...(before.companyName === after.companyName ? [] : ['company_name']),
    ...(sameLines(before.addressLines, after.addressLines) ? [] : ['address_lines']),
    ...(before.vatId === after.vatId ? [] : ['vat_id']),
    ...(before.country === after.country ? [] : ['country']),
  ];
  if (changed.length === 0) return [];
  return [{ name: 'billing_details.changed', subject: organisationId, at, data: { changed_fields: changed } }];
}

const sameLines = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((line, at) => line === others[at]);
