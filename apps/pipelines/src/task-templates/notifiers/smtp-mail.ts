import { createTransport } from 'nodemailer';
import type { Delivery } from '../domain/task-notification.ts';
import type { Notifiers } from '../domain/task-templates.ts';

export interface SmtpSettings {
  /** `smtp://user:password@host:587`, `smtps://…`. */
  readonly url: string;
  /** `Platform <no-reply@example.com>`. */
  readonly from: string;
}

const TIMEOUT_MS = 15_000;

/** Mail by SMTP. A server that says that it will never take the letter (5xx) is not asked again. */
export function smtpMail({ url, from }: SmtpSettings): Notifiers['mail'] {
  const transport = createTransport(
    { url, connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS },
    { from },
  );
  return async ({ name, email }, { id, title, text }) => {
    try {
      await transport.sendMail({
        to: { name, address: email },
        subject: title,
        text,
        messageId: `<${id}@platform>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      return { outcome: 'SENT' };
    } catch (error) {
      return refusalOf(error);
    }
  };
}

function refusalOf(error: unknown): Delivery {
  const { responseCode, code } = error as { responseCode?: number; code?: string };
  // A wrong password is not the letter's fault.
  if (responseCode === undefined || code === 'EAUTH')
    return { outcome: 'RETRY', reason: `The mail server could not be used (${code ?? 'unknown'})` };
  const outcome = responseCode >= 500 ? 'GIVE_UP' : 'RETRY';
  return { outcome, reason: `The mail server answered ${String(responseCode)}` };
}
