export interface MailAddress {
  /** Empty: nobody knows it. */
  readonly name: string;
  readonly email: string;
}

export interface Mail {
  /** The same for every attempt: it makes the `Message-ID`, by which a mailbox knows a repetition. */
  readonly id: string;
  readonly to: readonly MailAddress[];
  readonly subject: string;
  readonly text: string;
  readonly attachments?: readonly MailAttachment[];
}

export interface MailAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** How an attempt went: sent, not now, or never. */
export type MailDelivery =
  | { readonly outcome: 'SENT' }
  | { readonly outcome: 'RETRY' | 'GIVE_UP'; readonly reason: string };

/** Sends one, and does not throw for what a mail server says. */
export type SendMail = (mail: Mail) => Promise<MailDelivery>;
