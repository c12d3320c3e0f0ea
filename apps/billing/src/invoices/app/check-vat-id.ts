import { invalid, newId, type Clock, type Logger } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import { isInEu } from '../../prices/domain/sale-tax.ts';
import {
  vatIdAfterCheck,
  withVatIdCheck,
  type BillingDetails,
  type StoredBillingDetails,
} from '../domain/billing-details.ts';
import type { BillingDetailsBook } from '../domain/invoices.ts';
import { notChecked, wrongVatId, type ReadVatId, type VatIdCheck, type VatRegister } from '../domain/vat-id.ts';

export interface VatIdPorts {
  readonly readVatId: ReadVatId;
  /** Null: none is asked. */
  readonly vatRegister: VatRegister | null;
  readonly clock: Clock;
}

const hourMs = 3_600_000;

/** How long an answer of the register is good. */
const goodForMs = 30 * 24 * hourMs;

/** When it is tried again what failed, and what is good for now and could not be confirmed. */
export const retryAfter = (at: Date): Date => after(at, hourMs);

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
  if (!isInEu(vatIdCountry)) return known;
  const at = clock.now();
  if (!vatRegister) return { ...known, vatCheckDueAt: at };
  const found = await vatRegister.look(vatIdCountry, number);
  if (!found) return { ...known, vatIdStatus: 'PENDING', vatCheckedAt: at, vatCheckDueAt: at };
  return {
    ...{ ...known, vatIdStatus: found.isRegistered ? 'VERIFIED' : 'INVALID', vatConsultation: found.consultation },
    ...{ vatCheckedAt: at, vatCheckDueAt: after(at, goodForMs) },
  };
}

const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

/** As `checkVatId`, of one that was accepted before: what is found wrong by now is no error, and what was verified stays so until the register says otherwise. */
async function checkAgain(ports: VatIdPorts, details: StoredBillingDetails): Promise<VatIdCheck> {
  const at = ports.clock.now();
  const { country: vatIdCountry, isValid } = await ports.readVatId(details.vatId, details.country);
  if (vatIdCountry !== null && !isValid)
    return {
      ...{ ...notChecked, vatIdCountry, vatIdStatus: 'INVALID' },
      ...{ vatCheckedAt: at, vatCheckDueAt: after(at, goodForMs) },
    };
  return vatIdAfterCheck(details, details.vatId, await checkVatId(ports, details), retryAfter(at));
}

const roundSize = 50;

export interface VatIdJobPorts extends VatIdPorts {
  readonly billingDetails: BillingDetailsBook;
  readonly logger: Logger;
}

/**
 * Asks the register about VAT IDs of which it could not answer, or was never asked, or has answered a month ago. One that fails is tried
 * later and keeps nobody waiting. Answers of how many it has answered.
 */
export async function checkVatIdsAgain(ports: VatIdJobPorts): Promise<number> {
  const { billingDetails, clock, logger } = ports;
  let known = 0;
  for (const organisationId of await billingDetails.withDueVatId(clock.now(), roundSize)) {
    try {
      if (await checkOne(ports, organisationId)) known += 1;
    } catch (error) {
      logger.warn(
        { event: 'vat_id.not_checked', err: error, organisationId },
        'a VAT ID could not be looked up, it is tried again later',
      );
      await billingDetails.update(systemActor(organisationId, newId()), (now) =>
        withVatIdCheck(now, { ...now, vatCheckDueAt: retryAfter(clock.now()) }),
      );
    }
  }
  return known;
}

/** True: the register has answered. */
async function checkOne(ports: VatIdJobPorts, organisationId: string): Promise<boolean> {
  const { billingDetails, logger } = ports;
  const details = await billingDetails.get(organisationId);
  const check = await checkAgain(ports, details);
  await billingDetails.update(systemActor(organisationId, newId()), (now) =>
    // Another one may have been set meanwhile, or a country by which it is read otherwise.
    withVatIdCheck(now, now.vatId === details.vatId && now.country === details.country ? check : now),
  );
  if (details.vatIdStatus === 'VERIFIED' && check.vatIdStatus === 'INVALID')
    logger.warn(
      { event: 'vat_id.no_longer_registered', organisationId },
      'a VAT ID that was verified is not registered any more: what is sold from now on is taxed',
    );
  return check.vatIdStatus !== 'PENDING';
}
