import type { BillingMailInput, BillingMailServiceHandlers } from '@platform-backend/contract-billing';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import type { BillingMailUseCases } from '../app/billing-mails.ts';
import type { BillingMail } from '../domain/billing-mail.ts';

export const billingMailHandlers = (app: BillingMailUseCases): BillingMailServiceHandlers<CallContext> => ({
  async listBillingMails(request, context) {
    return listAnswer('mails', await app.listBillingMails(context.organisationId(), request), mailMessage);
  },

  async getBillingMailPreferences(_request, context) {
    return { disabled: [...(await app.getPreferences(context.organisationId()))] };
  },

  async setBillingMailPreferences({ disabled }, context) {
    return { disabled: [...(await app.setPreferences(context.actorContext(), disabled))] };
  },
});

const mailMessage = ({ id, createdAt, kind, status, recipients, sentAt, error }: BillingMail): BillingMailInput => ({
  ...{ id, createdAt, kind, status, sentAt, error },
  recipients: [...recipients],
});
