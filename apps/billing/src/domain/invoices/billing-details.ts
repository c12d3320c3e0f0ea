import type { BillingEvent } from '../billing-event.ts';

/** What an organisation wants on its invoices; empty where it wants nothing. */
export interface BillingDetails {
  readonly companyName: string;
  readonly addressLines: readonly string[];
  /** As it was given: nobody has checked it. */
  readonly vatId: string;
}

export const noBillingDetails: BillingDetails = { companyName: '', addressLines: [], vatId: '' };

/** Without the spaces around each text, and without lines that hold nothing else. */
export const tidied = ({ companyName, addressLines, vatId }: BillingDetails): BillingDetails => ({
  companyName: companyName.trim(),
  addressLines: addressLines.map((line) => line.trim()).filter((line) => line !== ''),
  vatId: vatId.trim(),
});

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
  ];
  if (changed.length === 0) return [];
  return [{ name: 'billing_details.changed', subject: organisationId, at, data: { changed_fields: changed } }];
}

const sameLines = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((line, at) => line === others[at]);
