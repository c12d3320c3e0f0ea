import { decompressRTF } from '@kenjiuno/decompressrtf';
import msgReader, { type FieldsData } from '@kenjiuno/msgreader';
import type { DocumentText } from '../document-text.ts';
import { extractionFailures } from '../extraction-failures.ts';
import { mailText, type MailAttachment, type ReadAttachment } from '../mail-text.ts';
import { encodingOf } from '../sniff.ts';
import { readHtml } from './html.ts';
import { readRtf } from './rtf.ts';

type MsgReader = InstanceType<typeof msgReader.default>;

/** A message as Outlook saves it. */
export async function readMsg(bytes: Buffer, readAttachment: ReadAttachment): Promise<DocumentText> {
  const { reader, mail } = opened(bytes);
  // An Office file of before 2007 that has a message in it has the marks of one.
  if (isEmpty(mail)) throw extractionFailures.legacyOffice();
  const to = (type: 'to' | 'cc'): string[] =>
    (mail.recipients ?? []).filter(({ recipType = 'to' }) => recipType === type).map(written);
  const { senderName: name, senderSmtpAddress, senderEmail } = mail;
  const address = senderSmtpAddress ?? senderEmail;
  return mailText(
    {
      subject: mail.subject ?? '',
      from: written({ ...(name !== undefined && { name }), ...(address !== undefined && { smtpAddress: address }) }),
      to: to('to'),
      cc: to('cc'),
      date: dateOf(mail.messageDeliveryTime ?? mail.clientSubmitTime),
      body: bodyOf(mail),
      attachments: (mail.attachments ?? []).map((attachment) => attachedIn(reader, attachment)),
    },
    readAttachment,
  );
}

const isEmpty = ({ dataType: _message, attachments = [], recipients = [], ...fields }: FieldsData): boolean =>
  attachments.length + recipients.length === 0 && Object.keys(fields).length === 0;

/** Texts that are not Unicode are in the code page that the message names, which is known once it has been read. */
function opened(bytes: Buffer, charset = 'windows-1252'): { readonly reader: MsgReader; readonly mail: FieldsData } {
  const reader = new msgReader.default(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  reader.parserConfig = { ansiEncoding: charset };
  const mail = reader.getFileData();
  if (mail.error !== undefined || mail.dataType !== 'msg') throw extractionFailures.damaged(new Error(mail.error));
  const named = charsetOf(mail.messageCodepage) ?? charset;
  return named === charset ? { reader, mail } : opened(bytes, named);
}

/** What Windows calls by a number, of those that messages are written in. */
const CHARSETS: Readonly<Record<number, string>> = {
  ...{
    874: 'windows-874',
    932: 'shift_jis',
    936: 'gbk',
    949: 'euc-kr',
    950: 'big5',
    20_866: 'koi8-r',
    65_001: 'utf-8',
  },
  ...Object.fromEntries(Array.from({ length: 9 }, (_, at) => [1250 + at, `windows-${String(1250 + at)}`])),
  ...Object.fromEntries([2, 3, 4, 5, 6, 7, 8, 13, 15].map((part) => [28_590 + part, `iso-8859-${String(part)}`])),
  // What claims to be Latin 1 is this.
  28_591: 'windows-1252',
};

const charsetOf = (codepage: number | undefined): string | undefined =>
  codepage === undefined ? undefined : CHARSETS[codepage];

/** As plain text, where the message has it; else what its HTML or Rich Text says. */
function bodyOf({ body, bodyHtml, html, internetCodepage, compressedRtf }: FieldsData): string {
  if (body?.trim()) return body;
  const charset = charsetOf(internetCodepage) ?? (html && encodingOf(Buffer.from(html)));
  const page = bodyHtml ?? (html && new TextDecoder(charset).decode(html));
  if (page?.trim()) return readHtml(page).pages.join('\n');
  if (!compressedRtf) return '';
  const { pages } = readRtf(Buffer.from(decompressRTF(Array.from(compressedRtf))));
  return pages.join('\n');
}

/** A message in it is unpacked as a file of its own. */
function attachedIn(reader: MsgReader, attachment: FieldsData): MailAttachment {
  const { fileName, name, attachMimeTag: declaredType, innerMsgContent } = attachment;
  const named = fileName ?? name ?? '';
  const isNamed = innerMsgContent && !/\.msg$/i.test(named) ? `${named}.msg` : named;
  try {
    return { name: isNamed, declaredType, bytes: Buffer.from(reader.getAttachment(attachment).content) };
  } catch {
    return { name: isNamed, declaredType, bytes: undefined };
  }
}

function written({ name, smtpAddress, email }: Pick<FieldsData, 'name' | 'smtpAddress' | 'email'>): string {
  // Exchange has paths in place of addresses for members of the same organisation.
  const address = [smtpAddress, email].find((one) => one?.includes('@')) ?? '';
  if (address === '' || name === undefined || name === '' || name === address)
    return address === '' ? (name ?? '') : address;
  return `${name} <${address}>`;
}

function dateOf(time: string | undefined): string {
  const at = new Date(time ?? NaN);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}
