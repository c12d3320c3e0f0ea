import { lstat, mkdir } from 'node:fs/promises';

/** A folder that is there, and that nobody but this user could have written into; kernels run what lies in it. */
export async function ownDirectory(directory: string): Promise<string> {
  await mkdir(directory, { mode: 0o700 }).catch(() => undefined);
  const { uid, mode } = await lstat(directory);
  if (uid !== process.getuid?.() || (mode & 0o777) !== 0o700) throw new Error(`${directory} is not ours alone`);
  return directory;
}
