import { mailFolder } from './mail-folder.ts';
import type { SendMail } from './mail.ts';
import { smtpMail } from './smtp-mail.ts';

interface MailOptions {
  readonly SMTP_URL: string | undefined;
  readonly SMTP_FROM: string;
}

interface OpenMail {
  readonly send: SendMail;
  /** What becomes of mails where no server is set, for the log; null: one is. */
  readonly instead: string | null;
}

/** Mail as it is set; else a folder, and where there is none either, mails are given up. */
export function openMail({ SMTP_URL: url, SMTP_FROM: from }: MailOptions, folder: string | null): OpenMail {
  if (url) return { send: smtpMail({ url, from }), instead: null };
  if (folder !== null) return { send: mailFolder(folder), instead: `are written to ${folder}` };
  const giveUp: SendMail = () => Promise.resolve({ outcome: 'GIVE_UP', reason: 'No way to send it is set up' });
  return { send: giveUp, instead: 'are not sent: no way is set up' };
}
