import { createHash } from 'node:crypto';
import { chownSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { canReach, type SystemUser } from './system-user.ts';

/** Where root keeps the data of servers whose account cannot reach the place that was asked for. */
const fallbackRoot = '/var/lib/platform';

/**
 * Makes a folder that `user` owns and can reach. If a folder above it shuts that account out, as
 * /root does, the answer is a folder under /var/lib/platform that belongs to this path alone; a copy
 * of the project elsewhere gets another one.
 */
export function reachableDirectory(wanted: string, user: SystemUser | undefined): string {
  const path = resolve(wanted);
  mkdirSync(path, { recursive: true });
  if (!user) return path;
  own(path, user);
  if (canReach(user, path)) return path;
  const id = createHash('sha256').update(dirname(path)).digest('hex').slice(0, 12);
  const instead = join(fallbackRoot, id, basename(path));
  mkdirSync(instead, { recursive: true });
  own(instead, user);
  if (!canReach(user, instead)) throw new Error(`The account ${user.name} can reach neither ${path} nor ${instead}.`);
  return instead;
}

function own(path: string, user: SystemUser): void {
  if (statSync(path).uid !== user.uid) chownSync(path, user.uid, user.gid);
}
