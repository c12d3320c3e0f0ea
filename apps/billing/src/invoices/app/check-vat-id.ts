import { invalid, type Clock } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import { isInEu } from '../../prices/domain/sale-tax.ts';
import { withVatIdCheck, type BillingDetails } from '../domain/billing-details.ts';
import type { BillingDetailsBook } from '../domain/invoices.ts';
import { notChecked, wrongVatId, type ReadVatId, type VatIdCheck, type VatRegister } from '../domain/vat-id.ts';

export interface VatIdPorts {
  readonly readVatId: ReadVatId;
  /** Null: none is asked. */
  readonly vatRegister: VatRegister | null;
  readonly clock: Clock;
}

/** What is known of a VAT ID. INVALID: format or check digits are not those of its country. */
export async function checkVatId(
  { readVatId, vatRegister, clock }: VatIdPorts,
  { vatId, country }: Pick<BillingDetails, 'vatId' | 'country'>,
): Promise<VatIdCheck> {
  if (vatId === '') return notChecked;
  const { country: vatIdCountry, number, isValid } = await readVatId(vatId, country);
  if (vatIdCountry === null) return { ...notChecked, vatIdStatus: 'UNVERIFIED' };
  if (!isValid) throw invalid([wrongVatId(vatId, vatIdCountry)]);
  const known = { ...notChecked, vatIdCountry, vatIdStatus: 'VALID' as const };
  if (!vatRegister || !isInEu(vatIdCountry)) return known;
  const found = await vatRegister.look(vatIdCountry, number);
  const asked = { ...known, vatCheckedAt: clock.now() };
  if (!found) return { ...asked, vatIdStatus: 'PENDING' };
  return { ...asked, vatIdStatus: found.isRegistered ? 'VERIFIED' : 'INVALID', vatConsultation: found.consultation };
}

const roundSize = 50;

/** Asks the register again about VAT IDs of which it could not answer, or was never asked. Answers of how many it has. */
export async function checkVatIdsAgain(
  ports: VatIdPorts & { readonly billingDetails: BillingDetailsBook; readonly newId: () => string },
): Promise<number> {
  const { billingDetails, newId } = ports;
  let known = 0;
  for (const organisationId of await billingDetails.withUncheckedVatId(roundSize)) {
    const details = await billingDetails.get(organisationId);
    const check = await checkVatId(ports, details);
    await billingDetails.update(systemActor(organisationId, newId()), (now) =>
      // Another one may have been set meanwhile, or a country by which it is read otherwise.
      withVatIdCheck(now, now.vatId === details.vatId && now.country === details.country ? check : now),
    );
    if (check.vatIdStatus !== 'PENDING') known += 1;
  }
  return known;
}
