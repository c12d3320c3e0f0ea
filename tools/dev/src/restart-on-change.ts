import { watch } from 'node:fs';
import { join, sep } from 'node:path';
import type { SupervisedService } from './keep-running.ts';
import type { Progress } from './progress.ts';
import type { ReadyLine } from './service-process.ts';
import { repository } from './settings.ts';

/** Editors write a file in several steps, and a checkout changes many. */
const settleMs = 150;

/**
 * Restarts a service when its own folder changes, and all of them when a library or the contract does.
 * Tests and generated reports change nothing that runs.
 */
export function restartOnChange(
  services: ReadonlyMap<string, SupervisedService<ReadyLine>>,
  progress: Progress,
  signal: AbortSignal,
): void {
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  const restartPending = (): void => {
    const names = [...pending];
    pending.clear();
    progress.say(`  the source changed; restarting ${names.join(', ')}`);
    for (const name of names) void services.get(name)?.restart();
  };

  for (const folder of ['apps', 'libs', 'protos']) {
    watch(join(repository, folder), { recursive: true, signal }, (_event, file) => {
      const affected = affectedBy(folder, file ?? '', [...services.keys()]);
      if (affected.length === 0) return;
      for (const name of affected) pending.add(name);
      clearTimeout(timer);
      timer = setTimeout(restartPending, settleMs);
    });
  }
  progress.say('  watching apps, libs and protos');
}

/** The services that run the file `path` of one of the three top folders. */
export function affectedBy(folder: string, path: string, services: readonly string[]): readonly string[] {
  const parts = path.split(sep);
  const isSource = /\.(ts|json|proto|yml|mjs)$/.test(path) && !path.endsWith('.test.ts');
  if (!isSource || parts.includes('node_modules') || parts.includes('test')) return [];
  return folder === 'apps' ? services.filter((name) => name === parts[0]) : services;
}
