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

const ROOT = join(import.meta.dirname, '../../..');

const output = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

const repository: Repository = {
  apps: readdirSync(join(ROOT, 'apps')).filter((app) => existsSync(join(ROOT, 'apps', app, 'src/main.ts'))),
  lastRelease(app) {
    try {
      return output('git', 'describe', '--tags', '--abbrev=0', '--match', tagPattern(app)).trim();
    } catch {
      return undefined;
    }
  },
  affectedSince: (base) =>
    JSON.parse(
      output(
        join(ROOT, 'node_modules/.bin/nx'),
        'show',
        'projects',
        '--affected',
        '--json',
        `--base=${base}`,
        '--head=HEAD',
      ),
    ) as string[],
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
