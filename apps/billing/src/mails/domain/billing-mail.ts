import { decided, unchanged, type Decision } from '@platform-backend/core';
import { billingMailKinds, type BillingEvent, type BillingMailKind } from '../../events.ts';

export type BillingMailStatus = 'PENDING' | 'SENT' | 'FAILED' | 'SKIPPED';

/** A mail to an organisation about something that has happened. */
export interface BillingMail {
  /** The same for every attempt. */
  readonly id: string;
  readonly kind: BillingMailKind;
  /** The event that it tells of, as it was published. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly status: BillingMailStatus;
  readonly recipients: readonly string[];
  readonly attempts: number;
  /** By the real time; null once it is over. */
  readonly nextAttemptAt: Date | null;
  readonly sentAt: Date | null;
  readonly error: string | null;
  readonly createdAt: Date;
}

/** How an attempt went: sent, not now, or never. */
export type Delivery =
  | { readonly outcome: 'SENT' }
  | { readonly outcome: 'RETRY' | 'GIVE_UP'; readonly reason: string };

const minute = 60_000;

/** Longer than an attempt takes: whoever has taken one may be silent for so long before others try. */
const leaseMs = 2 * minute;

/** How long to wait after each attempt that went wrong; after the last one it is given up, a day and a half later. */
const pausesMs = [minute, 5 * minute, 30 * minute, 120 * minute, 360 * minute, 720 * minute, 900 * minute];

/** How long one waits of an organisation that has got as many as it gets in a day. */
const tooManyPauseMs = 60 * minute;

/** Takes a mail that is due, so that nobody else sends it meanwhile. Null: it is not to be sent now. */
export function takeMail(
  mail: BillingMail,
  { disabled, hasTooMany }: { readonly disabled: readonly BillingMailKind[]; readonly hasTooMany: boolean },
  at: Date,
): { readonly mail: BillingMail; readonly isToBeSent: boolean } {
  if (mail.status !== 'PENDING' || mail.nextAttemptAt === null || mail.nextAttemptAt > at) {
    return { mail, isToBeSent: false };
  }
  if (disabled.includes(mail.kind)) {
    return { mail: { ...mail, status: 'SKIPPED', nextAttemptAt: null }, isToBeSent: false };
  }
  if (hasTooMany) return { mail: { ...mail, nextAttemptAt: after(at, tooManyPauseMs) }, isToBeSent: false };
  const taken = { ...mail, attempts: mail.attempts + 1, nextAttemptAt: after(at, leaseMs) };
  return { mail: taken, isToBeSent: true };
}

/** What becomes of a mail by how an attempt went. What was sent stays sent. */
export function recordDelivery(
  mail: BillingMail,
  delivery: Delivery,
  recipients: readonly string[],
  at: Date,
): BillingMail {
  if (mail.status !== 'PENDING') return mail;
  const tried = { ...mail, recipients };
  if (delivery.outcome === 'SENT') return { ...tried, status: 'SENT', sentAt: at, nextAttemptAt: null, error: null };
  const pauseMs = delivery.outcome === 'GIVE_UP' ? undefined : pausesMs[mail.attempts - 1];
  if (pauseMs === undefined) return { ...tried, status: 'FAILED', nextAttemptAt: null, error: delivery.reason };
  return { ...tried, nextAttemptAt: after(at, pauseMs), error: delivery.reason };
}

/** Kinds of mails that an organisation does without, in the order of all kinds. */
export type DisabledMails = readonly BillingMailKind[];

/** The same once more changes nothing. */
export function setPreferences(
  organisationId: string,
  before: DisabledMails,
  wanted: DisabledMails,
  at: Date,
): Decision<DisabledMails, BillingEvent> {
  const disabled = billingMailKinds.filter((kind) => wanted.includes(kind));
  if (disabled.join() === before.join()) return unchanged(before);
  return decided(disabled, {
    name: 'billing_mails.preferences_changed',
    subject: organisationId,
    at,
    data: { disabled },
    change: { before: { disabled: before }, after: { disabled } },
  });
}

const after = (at: Date, ms: number): Date => new Date(at.getTime() + ms);
