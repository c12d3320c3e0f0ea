import { newId } from '@platform-backend/core';
import type { Invoice } from '../domain/invoice.ts';

const at = new Date('2026-04-01T12:00:00.000Z');
/** With tax, a discount and no billing details. */
export const sampleInvoice: Invoice = {
  id: newId(),
  organisationId: 'org_01JQTEST',
  number: '2026-000042',
  source: 'purchase:1',
  currency: 'EUR',
  country: 'DE',
  lines: [
    { description: 'Credits', quantity: 20_000, amountMinor: 19_000n },
    { description: 'Unused time of Basic', quantity: 3, amountMinor: -1000n },
  ],
  subtotalMinor: 18_000n,
  taxMinor: 3420n,
  totalMinor: 21_420n,
  taxed: null,
  createdAt: at,
  state: { status: 'PAID', paidAt: new Date('2026-04-02T12:00:00.000Z'), nextAttemptAt: null, attemptCount: 0 },
  buyer: { organisationName: 'Acme', companyName: '', addressLines: [], vatId: '' },
  seller: { name: 'Seller Ltd', addressLines: ['1 Market Street', 'Dublin'], vatId: 'IE1234567X' },
  tax: { label: 'VAT', basisPoints: 1900, note: '' },
};
