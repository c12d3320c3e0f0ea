/**
 * `node deploy/app-files.ts APP TARGET` copies what an app is made of, and nothing else: its own folder, those of the
 * libraries and contracts it depends on, and whatever these say they are made of besides. It needs no installed package.
 */
import { cpSync, existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Manifest {
  readonly name: string;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly nx?: { readonly namedInputs?: { readonly source?: readonly string[] } };
}

/** What every image has: the manifests, npm's settings, the health check and the job that makes the streams of events. */
const common = ['package.json', 'package-lock.json', '.npmrc', 'deploy/healthcheck.sh', 'deploy/event-streams.ts'];

/** Files and folders of the repository, relative to it. */
export function filesOfApp(repository: string, app: string): string[] {
  const manifestIn = (folder: string) =>
    JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8')) as Manifest;
  const folders = (manifestIn('.').workspaces ?? []).flatMap((pattern) =>
    globSync(`${pattern}/package.json`, { cwd: repository }).map(dirname),
  );
  const folderOf = new Map(folders.map((folder) => [manifestIn(folder).name, folder]));
  const needed = new Set<string>();
  const add = (folder: string): void => {
    if (needed.has(folder)) return;
    needed.add(folder);
    const { dependencies = {}, nx } = manifestIn(folder);
    for (const name of Object.keys(dependencies)) {
      const other = folderOf.get(name);
      if (other !== undefined) add(other);
    }
    // Nx is told the same: what a project is made of outside its own folder.
    for (const input of nx?.namedInputs?.source ?? []) {
      const [, outside] = /^\{workspaceRoot\}\/(.+?)(?:\/\*\*\/\*)?$/.exec(input) ?? [];
      if (outside !== undefined) needed.add(outside);
    }
  };
  add(`apps/${app}`);
  return [...common, ...needed].sort();
}

if (import.meta.main) {
  const [app = '', target = ''] = process.argv.slice(2);
  const repository = join(import.meta.dirname, '..');
  if (!existsSync(join(repository, 'apps', app, 'package.json'))) throw new Error(`there is no app "${app}"`);
  const kept = (path: string): boolean => !path.includes('node_modules');
  for (const file of filesOfApp(repository, app)) {
    cpSync(join(repository, file), join(target, file), { recursive: true, filter: kept });
  }
}
