/** `npm run -s affected-apps`: prints which apps have changed since their last release, as a line of JSON. */
import { command, runCommand } from '@platform-backend/command-line';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface Repository {
  /** The apps, by their folders under apps/. */
  readonly apps: readonly string[];
  /** The tag of an app's last release; none: it was never released. */
  readonly lastRelease: (app: string) => string | undefined;
  /** The projects that `nx affected` names since a commit, by their names. */
  readonly affectedSince: (base: string) => readonly string[];
}

const SCOPE = '@platform-backend/';

/** As `nx release` calls it: `nx.json`, `releaseTag`. */
export const tagPattern = (app: string): string => `${SCOPE}${app}@*`;

/** The apps whose image would be another one than that of their last release. */
export function affectedApps({ apps, lastRelease, affectedSince }: Repository): string[] {
  // Asked once for each commit: several apps are released together.
  const known = new Map<string, readonly string[]>();
  return apps.filter((app) => {
    const base = lastRelease(app);
    if (base === undefined) return true;
    const affected = known.get(base) ?? affectedSince(base);
    known.set(base, affected);
    return affected.includes(SCOPE + app);
  });
}

const LOCK_FILE = 'package-lock.json';

/** A lock file without the versions of apps, which a release of any app changes: to nx that would be a change of everybody's packages. */
export const withoutVersions = (lock: string): string =>
  lock.replaceAll(/("apps\/[\w-]+": \{\s+"name": "[^"]+",\s+"version": ")[^"]+/g, '$1');

/** One file for each folder down to the third level: no project lies deeper, and a command line has an end. */
export const onePerFolder = (files: readonly string[]): string[] => [
  ...new Map(files.map((file) => [file.split('/').slice(0, 3).join('/'), file])).values(),
];

const ROOT = join(import.meta.dirname, '../../..');

const output = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 26 });

const repository: Repository = {
  apps: readdirSync(join(ROOT, 'apps')).filter((app) => existsSync(join(ROOT, 'apps', app, 'src/main.ts'))),
  lastRelease(app) {
    try {
      return output('git', 'describe', '--tags', '--abbrev=0', '--match', tagPattern(app)).trim();
    } catch {
      return undefined;
    }
  },
  affectedSince(base) {
    const changed = output('git', 'diff', '--name-only', base, 'HEAD').split('\n').filter(Boolean);
    const lockAt = (commit: string) => withoutVersions(output('git', 'show', `${commit}:${LOCK_FILE}`));
    const isSameLock = changed.includes(LOCK_FILE) && lockAt(base) === lockAt('HEAD');
    const files = onePerFolder(changed.filter((file) => file !== LOCK_FILE || !isSameLock));
    if (files.length === 0) return [];
    const nx = join(ROOT, 'node_modules/.bin/nx');
    return JSON.parse(output(nx, 'show', 'projects', '--affected', '--json', `--files=${files.join()}`)) as string[];
  },
};

if (import.meta.main) {
  await runCommand(
    command({
      name: 'npm run affected-apps --',
      usage: `npm run -s affected-apps

Prints which apps have changed since their last release, they themselves or what they are made of, as a line of JSON.`,
      run: () => process.stdout.write(`${JSON.stringify(affectedApps(repository))}\n`),
    }),
  );
}
