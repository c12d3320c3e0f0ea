import { removeLeftovers } from '@platform-backend/objects';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Where sounds are while they are worked with: of all replicas on this machine, and for nobody else to read. */
export const soundsFolder = (): string => join(tmpdir(), `platform-content-sounds-${String(userInfo().uid)}`);

/** A folder of its own, for whoever makes it to remove. */
export async function makeScratchFolder(): Promise<string> {
  await mkdir(soundsFolder(), { recursive: true, mode: 0o700 });
  return mkdtemp(join(soundsFolder(), 'sound-'));
}

/** Runs work with a folder of its own, which is gone afterwards. */
export async function inScratchFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeScratchFolder();
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes the sounds of processes that were killed, a day later. */
export async function removeLeftSounds(): Promise<void> {
  await mkdir(soundsFolder(), { recursive: true, mode: 0o700 });
  await removeLeftovers(soundsFolder());
}
