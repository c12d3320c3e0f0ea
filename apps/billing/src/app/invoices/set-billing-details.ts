import type { Acting } from '../../domain/acting.ts';
import { tidied, type BillingDetails } from '../../domain/invoices/billing-details.ts';
import type { StoredBillingDetails } from '../../domain/invoices/invoices.ts';
import type { InvoiceParts } from './invoice-parts.ts';

/** Replaces what stands on later invoices. Those issued before keep what they say. */
export const setBillingDetails =
  ({ billingDetails, clock }: InvoiceParts) =>
  (by: Acting, details: BillingDetails): Promise<StoredBillingDetails> =>
    billingDetails.set(by, tidied(details), clock.now());
