export type { Mail, MailAddress, MailDelivery, SendMail } from './mail.ts';
export { mailSettings } from './settings.ts';
export { openMail } from './open-mail.ts';
