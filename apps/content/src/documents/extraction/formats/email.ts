import PostalMime, { type Address } from 'postal-mime';
import type { DocumentText } from '../document-text.ts';
import { mailText, type ReadAttachment } from '../mail-text.ts';
import { readHtml } from './html.ts';

/** A message as it is sent. */
export async function readEmail(bytes: Buffer, readAttachment: ReadAttachment): Promise<DocumentText> {
  const mail = await PostalMime.parse(bytes, {
    maxNestingDepth: 50,
    maxRfc822NestingDepth: 5,
    rfc822Attachments: false,
  });
  return mailText(
    {
      subject: mail.subject ?? '',
      from: mail.from ? written(mail.from) : '',
      to: (mail.to ?? []).map(written),
      cc: (mail.cc ?? []).map(written),
      date: mail.date ?? '',
      body: mail.text?.trim() ? mail.text : mail.html ? readHtml(mail.html).pages.join('\n') : '',
      attachments: mail.attachments.map(({ filename, mimeType, content }) => ({
        name: filename ?? '',
        declaredType: mimeType,
        bytes: typeof content === 'string' ? Buffer.from(content) : bufferOf(content),
      })),
    },
    readAttachment,
  );
}

const bufferOf = (content: ArrayBuffer | Uint8Array): Buffer =>
  content instanceof Uint8Array
    ? Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    : Buffer.from(content);

const written = ({ name, address, group }: Address): string =>
  group ? `${name}: ${group.map(written).join(', ')}` : name && name !== address ? `${name} <${address}>` : address;
