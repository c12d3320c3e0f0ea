import { fixedClock } from '@platform-backend/core';
import { member } from '@platform-backend/service/testing';
import { startRealIdentity, type Founder } from '../../../test/real-identity.ts';
import { startTestBilling } from '../../../test/test-billing.ts';
import { startViesDouble } from '../../../test/vies-double.ts';

export const details = { companyName: 'Acme GmbH', addressLines: ['Hauptstr. 1', 'Berlin'], vatId: 'DE136695976' };

export const as = ({ caller }: Founder) => ({ caller });

/** The service with a register of VAT IDs and identity as a process, at a time that tests move on. */
export async function startInvoicing() {
  const clock = fixedClock('2026-04-01T12:00:00.000Z');
  const identity = await startRealIdentity();
  const vies = await startViesDouble();
  const billing = await startTestBilling({
    clock,
    environment: {
      IDENTITY_ADDRESS: identity.process.address,
      BILLING_VIES_URL: vies.url,
      BILLING_SELLER: 'Seller Ltd',
      BILLING_SELLER_ADDRESS: '1 Market Street; Dublin;',
      BILLING_SELLER_VAT_ID: 'IE1234567X',
    },
  });

  const buy = (organisationId: string, credits: number) =>
    billing.credits.purchaseCredits({ credits }, member(organisationId));
  const list = async (organisationId: string, request: object = {}) =>
    billing.invoices.listInvoices(request, member(organisationId, 'ADMIN'));

  const rename = (founder: Founder, name: string) =>
    identity.organisations.updateCurrentOrganisation({ name, updateMask: { paths: ['name'] } }, as(founder));
  const buyAs = (founder: Founder) => billing.credits.purchaseCredits({ credits: 1000 }, as(founder));
  const buyerNames = async ({ organisation }: Founder) =>
    (await list(organisation.id)).invoices.map(({ buyer }) => buyer?.organisationName);

  async function pdfOf(founder: Founder): Promise<Buffer> {
    const { invoices } = await list(founder.organisation.id);
    const { content } = await billing.invoices.getInvoicePdf({ invoiceId: invoices.at(-1)?.id ?? '' }, as(founder));
    return Buffer.from(content);
  }

  /** It has connections still, which is the slower way to be away: nobody is told at once. */
  async function whileIdentityIsAway(work: () => Promise<unknown>): Promise<void> {
    identity.process.freeze();
    try {
      await work();
    } finally {
      identity.process.thaw();
    }
  }

  return {
    ...{ clock, identity, vies, billing, buy, list, rename, buyAs, buyerNames, pdfOf, whileIdentityIsAway },
    stop: async () => {
      await billing.stop();
      await identity.stop();
      await vies.close();
    },
  };
}
