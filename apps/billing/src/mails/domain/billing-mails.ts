import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { BillingEvent } from '../../events.ts';
import type { BillingMail, DisabledMails } from './billing-mail.ts';
import type { MailText } from './mail-text.ts';

export interface DueMail {
  readonly organisationId: string;
  readonly id: string;
}

/** Where mails are kept; each is written down in the transaction of what it tells of. */
export interface BillingMails {
  /** Newest first. */
  list(organisationId: string, page: PageRequest): Promise<Page<BillingMail>>;
  /** Of any organisation, the oldest first; organisations take turns, so that none keeps the others waiting. */
  due(at: Date, limit: number): Promise<readonly DueMail[]>;
  /**
   * `decide` sees the locked mail, what its organisation does without, and how many were sent to it since then, and is synchronous.
   * Null: somebody else has it.
   */
  take<Result>(
    name: DueMail,
    since: Date,
    decide: (
      mail: BillingMail,
      disabled: DisabledMails,
      sent: number,
    ) => { readonly mail: BillingMail; readonly result: Result },
  ): Promise<Result | null>;
  /** `decide` sees the locked mail and is synchronous. */
  update(name: DueMail, decide: (mail: BillingMail) => BillingMail): Promise<BillingMail>;
  /** Removes those that are over and were written down before; answers how many, at most so many. */
  removeOver(before: Date, limit: number): Promise<number>;
  preferences(organisationId: string): Promise<DisabledMails>;
  setPreferences(
    by: ActorContext,
    decide: (before: DisabledMails) => Decision<DisabledMails, BillingEvent>,
  ): Promise<DisabledMails>;
}

export interface Recipient {
  readonly name: string;
  readonly email: string;
}

/** A mail as it goes out; its id is the same for every attempt. */
export interface OutgoingMail extends MailText {
  readonly id: string;
  readonly to: readonly Recipient[];
  readonly attachments?: readonly {
    readonly filename: string;
    readonly contentType: string;
    readonly content: Buffer;
  }[];
}

/** Who hears of billing in an organisation that has named no address: its active administrators and owners. */
export type FindAdministrators = (organisationId: string, requestId: string) => Promise<readonly Recipient[]>;
