import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A copy of the shipped configuration whose gateway.config.yml was changed; its folder is for the caller to remove. */
export async function changedConfiguration(change: (text: string) => string): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'gateway-config-'));
  await cp(path.join(import.meta.dirname, '../config'), directory, { recursive: true });
  const file = path.join(directory, 'gateway.config.yml');
  const text = await readFile(file, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error('the change does not fit the configuration any more');
  await writeFile(file, changed);
  return directory;
}
