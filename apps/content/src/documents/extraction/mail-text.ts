import { cleanText } from './clean-text.ts';
import type { DocumentText } from './document-text.ts';
import { limits } from './limits.ts';

export interface MailAttachment {
  readonly name: string;
  readonly declaredType?: string | undefined;
  /** Undefined: it is only named. */
  readonly bytes: Buffer | undefined;
}

/** A message, whatever it came in. */
export interface Mail {
  readonly subject: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly date: string;
  readonly body: string;
  readonly attachments: readonly MailAttachment[];
}

/** Reads what is attached, by the readers of documents. */
export type ReadAttachment = (attachment: MailAttachment & { readonly bytes: Buffer }) => Promise<DocumentText>;

/** In each other, the message itself the first. */
export const MAX_MAIL_DEPTH = 4;
/** Of one message that are read; of more the names alone are told. */
const MAX_ATTACHMENTS = 50;
const MAX_NAMED = 100;

/**
 * Who wrote what to whom, and what is attached: the texts of attachments stand behind the message, and of what cannot be read, or would make it
 * longer than a document may be, the head says so.
 */
export async function mailText(mail: Mail, readAttachment: ReadAttachment): Promise<DocumentText> {
  const { subject, from, to, cc, date, body, attachments } = mail;
  const texts: string[] = [];
  const unread: string[] = [];
  let length = body.length;
  for (const [at, attachment] of attachments.entries()) {
    const text = at < MAX_ATTACHMENTS ? await textOf(attachment, readAttachment) : undefined;
    if (text === undefined || length + text.length > limits.textLength / 2) unread.push(attachment.name);
    else {
      length += text.length;
      texts.push(`Attachment: ${attachment.name}\n\n${text}`);
    }
  }
  const listed = (names: readonly string[]): string => names.slice(0, MAX_NAMED).join(', ');
  const head = [
    ['Subject', subject],
    ['From', from],
    ['To', listed(to)],
    ['Cc', listed(cc)],
    ['Date', date],
    ['Attachments', listed(attachments.map(({ name }) => name).filter((name) => name !== ''))],
    ['Not read', listed(unread.filter((name) => name !== ''))],
  ].filter(([, value]) => value !== '');
  const lines = head.map(([name, value]) => `${name ?? ''}: ${value ?? ''}`).join('\n');
  return { title: subject, pages: [`${lines}\n\n${body}`, ...texts], hasPages: false };
}

async function textOf({ bytes, ...named }: MailAttachment, read: ReadAttachment): Promise<string | undefined> {
  if (!bytes || bytes.length === 0) return undefined;
  try {
    const { pages } = await read({ ...named, bytes });
    const text = cleanText(pages.join('\n\n'));
    return text === '' ? undefined : text;
  } catch {
    // Whatever is wrong with it: the message and its other attachments can be read.
    return undefined;
  }
}
