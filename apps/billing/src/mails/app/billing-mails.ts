import {
  DomainError,
  inParallel,
  newId,
  type ActorContext,
  type Clock,
  type Logger,
  type Page,
  type PageRequest,
} from '@platform-backend/core';
import type { BillingMailKind } from '../../events.ts';
import { learnOrganisationName, type NamePorts } from '../../invoices/app/organisation-names.ts';
import type { BillingDetailsBook } from '../../invoices/domain/invoices.ts';
import {
  recordDelivery,
  setPreferences,
  takeMail,
  type BillingMail,
  type Delivery,
  type DisabledMails,
} from '../domain/billing-mail.ts';
import type { BillingMails, DueMail, FindAdministrators, OutgoingMail, Recipient } from '../domain/billing-mails.ts';
import { mailText } from '../domain/mail-text.ts';

export interface BillingMailPorts extends NamePorts {
  readonly mails: BillingMails;
  readonly send: (mail: OutgoingMail) => Promise<Delivery>;
  readonly billingDetails: BillingDetailsBook;
  readonly findAdministrators: FindAdministrators;
  readonly getInvoicePdf: (organisationId: string, requestId: string, id: string) => Promise<Buffer>;
  /** The real one: mails go out now, whatever time it is for an organisation. */
  readonly clock: Clock;
  readonly maxPerDay: number;
  readonly logger: Logger;
}

/** What can be done with mails about billing. */
export const billingMailUseCases = ({ mails, clock }: Pick<BillingMailPorts, 'mails' | 'clock'>) => ({
  listBillingMails: (organisationId: string, page: PageRequest): Promise<Page<BillingMail>> =>
    mails.list(organisationId, page),

  getPreferences: (organisationId: string): Promise<DisabledMails> => mails.preferences(organisationId),

  setPreferences(by: ActorContext, disabled: readonly BillingMailKind[]): Promise<DisabledMails> {
    const at = clock.now();
    return mails.setPreferences(by, (before) => setPreferences(by.organisationId, before, disabled, at));
  },
});

export type BillingMailUseCases = ReturnType<typeof billingMailUseCases>;

const roundSize = 100;
const atOnce = 4;
const dayMs = 86_400_000;

/**
 * One round of sending. Replicas share it. One that was being sent when its process died is sent again when its lease is over, with the
 * `Message-ID` that it had.
 */
export async function sendBillingMails(ports: BillingMailPorts, stopping: AbortSignal): Promise<number> {
  const { mails, clock, logger } = ports;
  const due = await mails.due(clock.now(), roundSize);
  await inParallel(due, { atOnce, stopping }, async (name) => {
    try {
      await sendOne(ports, name);
    } catch (error) {
      const { organisationId, id: mailId } = name;
      logger.warn(
        { event: 'billing_mail.failed', err: error, organisationId, mailId },
        'a mail could not be looked after',
      );
    }
  });
  return due.length;
}

/** How long a mail is kept after it was written down, in milliseconds: whoever asks what became of one asks within a year. */
const keptMs = 366 * dayMs;
const removedAtOnce = 1_000;

/** Removes mails that nobody asks for any more; answers how many. */
export const removeOldMails = ({ mails, clock }: Pick<BillingMailPorts, 'mails' | 'clock'>): Promise<number> =>
  mails.removeOver(new Date(clock.now().getTime() - keptMs), removedAtOnce);

async function sendOne(ports: BillingMailPorts, name: DueMail): Promise<void> {
  const { mails, clock, logger, maxPerDay } = ports;
  const at = clock.now();
  const taken = await mails.take(name, new Date(at.getTime() - dayMs), (mail, disabled, sent) => {
    const { mail: after, isToBeSent } = takeMail(mail, { disabled, hasTooMany: sent >= maxPerDay }, at);
    return { mail: after, result: isToBeSent ? after : null };
  });
  if (!taken) return;
  const to: Recipient[] = [];
  const delivery = await deliver(ports, name.organisationId, taken, to);
  const recipients = to.map(({ email }) => email);
  const record = () => mails.update(name, (mail) => recordDelivery(mail, delivery, recipients, clock.now()));
  // What went out and was not written down would go out again.
  const { status, error } = await record().catch(record).catch(record);
  if (status !== 'FAILED') return;
  const { organisationId, id: mailId } = name;
  logger.warn(
    { event: 'billing_mail.given_up', organisationId, mailId, kind: taken.kind, error },
    'a mail was given up',
  );
}

/** `to` gets whom it is for, as far as that could be found out. */
async function deliver(
  ports: BillingMailPorts,
  organisationId: string,
  mail: BillingMail,
  to: Recipient[],
): Promise<Delivery> {
  try {
    to.push(...(await recipientsOf(ports, organisationId)));
    if (to.length === 0) return { outcome: 'GIVE_UP', reason: 'There is nobody to send it to' };
    return await ports.send(await composed(ports, organisationId, mail, to));
  } catch (error) {
    const isGone = error instanceof DomainError && error.kind === 'not_found';
    const reason = error instanceof DomainError ? error.code : 'It could not be sent';
    return { outcome: isGone ? 'GIVE_UP' : 'RETRY', reason };
  }
}

async function recipientsOf(
  { billingDetails, findAdministrators }: BillingMailPorts,
  organisationId: string,
): Promise<readonly Recipient[]> {
  const { email, companyName } = await billingDetails.get(organisationId);
  if (email !== null) return [{ name: companyName, email }];
  return findAdministrators(organisationId, newId());
}

async function composed(
  ports: BillingMailPorts,
  organisationId: string,
  { id, kind, data }: BillingMail,
  to: readonly Recipient[],
): Promise<OutgoingMail> {
  const requestId = newId();
  const name = (await learnOrganisationName(ports, organisationId, requestId)) ?? organisationId;
  const mail = { id, to, ...mailText(kind, name, data) };
  const { invoice_id: invoiceId, number } = data;
  if (kind !== 'INVOICE_ISSUED' || typeof invoiceId !== 'string' || typeof number !== 'string') return mail;
  const content = await ports.getInvoicePdf(organisationId, requestId, invoiceId);
  return { ...mail, attachments: [{ filename: `${number}.pdf`, contentType: 'application/pdf', content }] };
}
