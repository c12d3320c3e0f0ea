import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SendMail } from './mail.ts';

/** Writes mails into a folder, where nobody has said how they go out: files of its id, which a repetition overwrites. */
export const mailFolder =
  (folder: string): SendMail =>
  async ({ id, to, subject, text, attachments = [] }) => {
    await mkdir(folder, { recursive: true });
    const write = async (name: string, content: string | Buffer) => {
      const file = join(folder, `${id}.${name}`);
      await writeFile(`${file}.part`, content);
      await rename(`${file}.part`, file);
    };
    const recipients = to.map(({ name, email }) => inOneLine(`${name} <${email}>`)).join(', ');
    const attached = attachments.map(({ filename }) => `\nAttachment: ${filename}`).join('');
    for (const { filename, content } of attachments) await write(filename, content);
    await write('mail.txt', `To: ${recipients}\nSubject: ${inOneLine(subject)}${attached}\n\n${text}\n`);
    return { outcome: 'SENT' };
  };

/** A header ends with its line. */
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
