import { WrongUsage } from '@platform-backend/command-line';
import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The folders of the projects that a change since `base` can have touched, those that are not committed included. */
export async function affectedProjects(root: string, base: string): Promise<string[]> {
  const args = ['show', 'projects', '--affected', `--base=${base}`, '--json'];
  const shown = await run('nx', args, { cwd: root, env: { ...process.env, NX_DAEMON: 'false' } }).catch(() => {
    throw new WrongUsage(`What changed since "${base}" cannot be found.`);
  });
  const names = JSON.parse(shown.stdout) as string[];
  // npm has linked each project under its name.
  return names.map((name) => relative(realpathSync(root), realpathSync(join(root, 'node_modules', name))));
}
