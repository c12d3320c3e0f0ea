import type { ChildProcess } from 'node:child_process';

/**
 * Throws where the system had no room for the pipes of a guest: such a one has no `stdio` at all, and says why only when nobody can
 * have listened yet, which would end this process.
 */
export function requirePipes(guest: Pick<ChildProcess, 'once'> & { readonly stdio?: unknown }): void {
  if (guest.stdio !== undefined) return;
  guest.once('error', () => undefined);
  throw Object.assign(new Error('there is no room for the pipes of another process'), { code: 'EMFILE' });
}
