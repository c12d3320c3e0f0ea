import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NotificationMessage, Notifiers } from '../domain/task-templates.ts';

/** Writes letters into a folder, where nobody has said how they go out: one file each, which a repetition overwrites. */
export function notificationFolder(folder: string): Notifiers {
  const write = async (kind: string, to: string, { id, title, text }: NotificationMessage) => {
    await mkdir(folder, { recursive: true });
    const file = join(folder, `${id}.${kind}.txt`);
    await writeFile(`${file}.part`, `To: ${to}\nSubject: ${title.replaceAll(/\s+/g, ' ')}\n\n${text}\n`);
    await rename(`${file}.part`, file);
    return { outcome: 'SENT' } as const;
  };
  return {
    mail: ({ name, email }, letter) => write('mail', `${name} <${email}>`, letter),
    slack: ({ channelId }, letter) => write('slack', channelId, letter),
  };
}
