import type { MemberServiceClient, OrganisationServiceClient } from '@platform-backend/contract-identity';
import type { CallOptions } from '@platform-backend/grpc';
import { openMail } from '@platform-backend/mail';
import type { Area } from '@platform-backend/service';
import path from 'node:path';
import type { InvoicesExports } from '../invoices/area.ts';
import type { BillingContext, service } from '../service.ts';
import { billingMailHandlers } from './api/billing-mail-handlers.ts';
import { billingMailUseCases, removeOldMails, sendBillingMails, type BillingMailPorts } from './app/billing-mails.ts';
import { identityAdministrators } from './clients/identity-administrators.ts';
import { billingMailsStore } from './store/billing-mails-store.ts';

/** Mails: what an organisation hears of its billing by mail. They go out by the real time. */
export const mailsArea = (
  { settings, storage, clock, client, logger }: BillingContext,
  { invoices }: { readonly invoices: InvoicesExports },
) => {
  const { PLATFORM_HOME: home, BILLING_MAILS_PER_DAY: maxPerDay } = settings;
  const { send, instead } = openMail(settings, home === undefined ? null : path.join(home, 'notifications'));
  if (instead !== null) logger.warn({ event: 'billing_mails.not_set_up' }, `mails about billing ${instead}`);
  const organisations = client<OrganisationServiceClient<CallOptions>>('platform.identity.v1.OrganisationService');
  const members = client<MemberServiceClient<CallOptions>>('platform.identity.v1.MemberService');
  const { billingDetails, organisationNames, nameDirectory } = invoices;
  const ports: BillingMailPorts = {
    ...{ billingDetails, organisationNames, nameDirectory, send, clock, maxPerDay, logger },
    getInvoicePdf: invoices.getInvoicePdf,
    mails: billingMailsStore(storage.database),
    findAdministrators: identityAdministrators(organisations, members),
  };
  const everyMs = settings.BILLING_SCHEDULE_SECONDS * 1000;
  return {
    handlers: { BillingMailService: billingMailHandlers(billingMailUseCases(ports)) },
    jobs: [
      { name: 'the sending of mails', everyMs, run: (stopping: AbortSignal) => sendBillingMails(ports, stopping) },
      { name: 'the removal of old mails', everyMs: 3_600_000, run: () => removeOldMails(ports) },
    ],
    exports: { ports },
  } satisfies Area<typeof service.declaration>;
};
