import type { OrganisationServiceClient } from '@platform-backend/contract-identity';
import type { CallOptions } from '@platform-backend/grpc';
import type { Area } from '@platform-backend/service';
import type { PricesExports } from '../prices/area.ts';
import type { BillingContext, service } from '../service.ts';
import { invoiceHandlers } from './api/invoice-handlers.ts';
import { checkVatIdsAgain } from './app/check-vat-id.ts';
import { invoiceUseCases } from './app/invoices.ts';
import { identityOrganisationNames } from './clients/identity-organisation-names.ts';
import type { GivenBackOf } from './domain/given-back.ts';
import { sellerOf } from './domain/seller.ts';
import { invoicePdfThread } from './pdf/invoice-pdf-thread.ts';
import { billingDetailsStore } from './store/billing-details-store.ts';
import { invoiceDocumentsStore } from './store/invoice-documents-store.ts';
import { invoicesStore } from './store/invoices-store.ts';
import { organisationNamesStore } from './store/organisation-names-store.ts';
import { taxExemptionsStore } from './store/tax-exemptions-store.ts';
import { readVatId } from './vat-ids/read-vat-id.ts';
import { viesRegister } from './vat-ids/vies-register.ts';

/** VIES asks not to be asked often; of what is waited for nobody is taxed wrongly meanwhile, as the tax is charged. */
const checkEveryMs = 5 * 60_000;

export type InvoicesExports = ReturnType<typeof invoicesArea>['exports'];

interface InvoicesNeeds {
  readonly prices: PricesExports;
  readonly givenBack: GivenBackOf;
}

/** Invoices: what was sold to whom with which tax, numbered without gaps, as PDF. */
export const invoicesArea = (context: BillingContext, { prices, givenBack }: InvoicesNeeds) => {
  const { settings, storage, clock, client, defer, logger } = context;
  const { BILLING_INVOICE_SERIES: series, BILLING_VIES_URL: viesUrl } = settings;
  const { database } = storage;
  const seller = sellerOf(settings.BILLING_SELLER, settings.BILLING_SELLER_ADDRESS, settings.BILLING_SELLER_VAT_ID);
  const billingDetails = billingDetailsStore(database);
  const organisationNames = organisationNamesStore(database);
  const nameDirectory = identityOrganisationNames(
    client<OrganisationServiceClient<CallOptions>>('platform.identity.v1.OrganisationService'),
  );
  const pdfs = invoicePdfThread();
  defer(() => pdfs.close());
  const ports = {
    invoices: invoicesStore(database, seller),
    invoiceDocument: pdfs.document,
    invoiceDocuments: invoiceDocumentsStore(database),
    billingDetails,
    organisationNames,
    nameDirectory,
    clock,
    readVatId,
    vatRegister: viesUrl === undefined ? null : viesRegister({ url: viesUrl, requester: seller.vatId }),
  };
  const useCases = invoiceUseCases(ports);
  return {
    handlers: { InvoiceService: invoiceHandlers(useCases, givenBack) },
    jobs:
      ports.vatRegister === null
        ? []
        : [
            {
              name: 'the checking of VAT IDs',
              everyMs: checkEveryMs,
              run: () => checkVatIdsAgain({ ...ports, logger }),
            },
          ],
    exports: {
      /** On which invoices are issued. */
      invoiceTerms: { seller, series, priceBook: prices.priceBook },
      getInvoice: useCases.getInvoice,
      getInvoicePdf: useCases.getInvoicePdf,
      billingDetails,
      taxExemptions: taxExemptionsStore(database),
      organisationNames,
      nameDirectory,
      invoiceDocument: pdfs.document,
    },
  } satisfies Area<typeof service.declaration>;
};
