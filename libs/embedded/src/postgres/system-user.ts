import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** An existing account of this machine. */
export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * The account that servers run as when we are root, for PostgreSQL refuses root. Undefined when we
 * are an ordinary user: then they simply run as us.
 */
export function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const nobody = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'nobody');
  if (!nobody)
    throw new Error('PostgreSQL refuses to run as root, and this machine has no account "nobody" to run it as.');
  return { name: 'nobody', uid: Number(nobody[2]), gid: Number(nobody[3]) };
}

/** Can this user reach the path through all its folders? Asked of the kernel, so that ACLs count too. */
export function canReach(user: SystemUser | undefined, path: string): boolean {
  if (!user) return true;
  const test = spawnSync('/usr/bin/test', ['-x', path], { uid: user.uid, gid: user.gid, cwd: '/' });
  return test.status === 0;
}
