import type { Transporter } from 'nodemailer';
import type { MailDelivery, SendMail } from './mail.ts';

interface SmtpOptions {
  /** `smtp://user:password@host:587`, `smtps://…`. */
  readonly url: string;
  /** `Platform <no-reply@example.com>`. */
  readonly from: string;
}

const timeoutMs = 15_000;

/** Mail by SMTP. A server that says that it will never take a mail (5xx to its recipients or its text) is not asked again. */
export function smtpMail({ url, from }: SmtpOptions): SendMail {
  let opened: Promise<Transporter> | undefined;
  return async ({ id, to, subject, text, attachments = [] }) => {
    try {
      const transport = await (opened ??= openTransport({ url, from }));
      await transport.sendMail({
        to: to.map(({ name, email }) => ({ name, address: email })),
        subject,
        text,
        messageId: `<${id}@platform>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        attachments: attachments.map((attachment) => ({ ...attachment })),
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return { outcome: 'SENT' };
    } catch (error) {
      return refusalOf(error);
    }
  };
}

/** Its package is loaded with the first mail: most processes that could send one never do. */
async function openTransport({ url, from }: SmtpOptions): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  return createTransport({ url, ...timeouts }, { from });
}

function refusalOf(error: unknown): MailDelivery {
  const { responseCode, code, command } = error as { responseCode?: number; code?: string; command?: string };
  if (responseCode === undefined || code === 'EAUTH')
    return { outcome: 'RETRY', reason: `The mail server could not be used (${code ?? 'unknown'})` };
  // A wrong password, a sender that is not known there, and a server that takes from nobody are not the mail's fault.
  const isOfMail = command === 'RCPT TO' || command === 'DATA';
  const outcome = responseCode >= 500 && isOfMail ? 'GIVE_UP' : 'RETRY';
  return { outcome, reason: `The mail server answered ${String(responseCode)}` };
}
