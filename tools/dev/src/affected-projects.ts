import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The folders of the projects that a change since `base` can have touched, those that are not committed included. */
export async function affectedProjects(root: string, base: string): Promise<string[]> {
  const args = ['show', 'projects', '--affected', `--base=${base}`, '--json'];
  const { stdout } = await run('nx', args, { cwd: root, env: { ...process.env, NX_DAEMON: 'false' } });
  const names = new Set(JSON.parse(stdout) as string[]);
  return globSync(['{apps,libs,tools}/*/package.json', 'protos/**/package.json', '{e2e,bench}/package.json'], {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  })
    .filter((file) => names.has((JSON.parse(readFileSync(join(root, file), 'utf8')) as { name: string }).name))
    .map((file) => dirname(file));
}
