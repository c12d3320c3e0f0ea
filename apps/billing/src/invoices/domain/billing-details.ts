import { changedFields, invalid, type Decision } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import { unknownCountry } from '../../prices/domain/country.ts';
import type { VatIdCheck } from './vat-id.ts';

/** What an organisation wants on its invoices; empty where it wants nothing. */
export interface BuyerDetails {
  readonly companyName: string;
  readonly addressLines: readonly string[];
  /** As it was given. */
  readonly vatId: string;
}

export interface BillingDetails extends BuyerDetails {
  /** ISO 3166-1: where the organisation says to be; null: unknown. Invoices have a country of their own. */
  readonly country: string | null;
  /** Where mails about billing go; null: to the administrators. It stands on no invoice. */
  readonly email: string | null;
}

export const noBuyerDetails: BuyerDetails = { companyName: '', addressLines: [], vatId: '' };

/** Without the spaces around each text, and without lines that hold nothing else. INVALID: there is no such country. */
export function tidied({ companyName, addressLines, vatId, country, email }: BillingDetails): BillingDetails {
  const wrong = country === null ? [] : unknownCountry(country, 'body');
  if (wrong.length > 0) throw invalid(wrong);
  return {
    companyName: companyName.trim(),
    addressLines: addressLines.map((line) => line.trim()).filter((line) => line !== ''),
    vatId: vatId.trim(),
    country,
    email,
  };
}

export interface StoredBillingDetails extends BillingDetails, VatIdCheck {
  /** Null: never set. */
  readonly updatedAt: Date | null;
}

/** Replaces them as a whole; the same once more changes nothing and tells nothing. */
export function changeBillingDetails(
  organisationId: string,
  before: StoredBillingDetails,
  after: BillingDetails & VatIdCheck,
  at: Date,
): Decision<StoredBillingDetails, BillingEvent> {
  const change = changedFields(shown(before), shown(after));
  const changed = Object.keys(change.after);
  if (changed.length === 0) return withVatIdCheck(before, after);
  const state = { ...after, updatedAt: at };
  const event = { name: 'billing_details.changed', subject: organisationId, at, change } as const;
  return { state, events: [{ ...event, data: { changed_fields: changed } }], result: state };
}

/** What is known of a VAT ID after a check: what was verified stays so while the register is away, whatever else is set. */
export function vatIdAfterCheck(
  before: StoredBillingDetails,
  vatId: string,
  check: VatIdCheck,
  retryAt: Date,
): VatIdCheck {
  const isSame = before.vatId === vatId && before.vatIdCountry === check.vatIdCountry;
  if (!isSame || before.vatIdStatus !== 'VERIFIED' || check.vatIdStatus !== 'PENDING') return check;
  const { vatIdStatus, vatIdCountry, vatConsultation, vatCheckedAt } = before;
  return { vatIdStatus, vatIdCountry, vatConsultation, vatCheckedAt, vatCheckDueAt: retryAt };
}

/** With what was found out about the VAT ID, which nobody is told. */
export function withVatIdCheck(
  before: StoredBillingDetails,
  { vatIdStatus, vatIdCountry, vatConsultation, vatCheckedAt, vatCheckDueAt }: VatIdCheck,
): Decision<StoredBillingDetails, BillingEvent> {
  const state = { ...before, vatIdStatus, vatIdCountry, vatConsultation, vatCheckedAt, vatCheckDueAt };
  return { state, events: [], result: state };
}

const shown = ({ companyName, addressLines, vatId, country, email }: BillingDetails) => ({
  company_name: companyName,
  address_lines: addressLines,
  vat_id: vatId,
  country,
  email,
});
