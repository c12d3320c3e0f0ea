import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Notifiers } from '../domain/notifications.ts';

/** Writes what would be posted into a folder, where there is no token: one file each, which a repetition overwrites. */
export const slackFolder =
  (folder: string): Notifiers['slack'] =>
  async ({ channelId }, { id, title, text }) => {
    await mkdir(folder, { recursive: true });
    const file = join(folder, `${id}.slack.txt`);
    await writeFile(`${file}.part`, `To: ${channelId}\nSubject: ${title.replaceAll(/\s+/g, ' ')}\n\n${text}\n`);
    await rename(`${file}.part`, file);
    return { outcome: 'SENT' };
  };
