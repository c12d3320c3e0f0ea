import PostalMime, { type Address } from 'postal-mime';
import type { DocumentText } from '../document-text.ts';
import { readHtml } from './html.ts';

/** Who wrote what to whom, and what is attached by name: an attachment is a document of its own. */
export async function readEmail(bytes: Buffer): Promise<DocumentText> {
  const mail = await PostalMime.parse(bytes, {
    maxNestingDepth: 50,
    maxRfc822NestingDepth: 5,
    rfc822Attachments: false,
  });
  const body = mail.text?.trim() ? mail.text : mail.html ? readHtml(mail.html).pages.join('\n') : '';
  const head = [
    ['Subject', mail.subject ?? ''],
    ['From', mail.from ? written(mail.from) : ''],
    ['To', (mail.to ?? []).slice(0, 100).map(written).join(', ')],
    ['Cc', (mail.cc ?? []).slice(0, 100).map(written).join(', ')],
    ['Date', mail.date ?? ''],
    [
      'Attachments',
      mail.attachments
        .slice(0, 100)
        .flatMap(({ filename }) => filename ?? [])
        .join(', '),
    ],
  ].filter(([, value]) => value !== '');
  const lines = head.map(([name, value]) => `${name ?? ''}: ${value ?? ''}`).join('\n');
  return { title: mail.subject, pages: [`${lines}\n\n${body}`], hasPages: false };
}

const written = ({ name, address, group }: Address): string =>
  group ? `${name}: ${group.map(written).join(', ')}` : name && name !== address ? `${name} <${address}>` : address;
