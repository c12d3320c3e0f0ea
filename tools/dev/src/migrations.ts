import { runToEnd } from '@platform-backend/embedded';
import { globSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeProcess, type ServiceProcess } from './service-process.ts';

/**
 * Brings a service's database up to date, in a process of its own: the one that serves is never told how to connect
 * as the owner. A later call does so again only when the migrations have changed.
 */
export function migrations(service: Omit<ServiceProcess, 'signal'>): (signal: AbortSignal) => Promise<void> {
  let applied: string | undefined;
  return async (signal) => {
    const current = stateOf(join(dirname(dirname(service.main)), 'migrations'));
    if (current === applied) return;
    await runToEnd({ ...nodeProcess({ ...service, signal }, 'migrate'), name: `the migration of ${service.name}` });
    applied = current;
  };
}

const stateOf = (folder: string): string =>
  globSync('*', { cwd: folder })
    .toSorted()
    .map((file) => `${file} ${String(statSync(join(folder, file)).mtimeMs)}`)
    .join('\n');
