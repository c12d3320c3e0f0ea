import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { countOpenFiles, openFilesState, watchOpenFiles, type OpenFiles } from './open-files.ts';

describe('the open files of a process', () => {
  it.each([
    [79, 'few'],
    [80, 'many'],
    [94, 'many'],
    [95, 'too_many'],
    [Infinity, 'too_many'],
  ])('%s of 100 are %s', (open, state) => expect(openFilesState({ open, limit: 100 })).toBe(state));

  it('are counted against the limit of the system', async () => {
    const { open = 0, limit = 0 } = (await countOpenFiles()) ?? {};
    expect(open).toBeGreaterThan(3);
    expect(limit).toBeGreaterThanOrEqual(open);
  });

  it('are too many where there is not even room to look', () => {
    const program = `
      import { openSync } from 'node:fs';
      import { countOpenFiles, openFilesState } from ${JSON.stringify(fileURLToPath(new URL('open-files.ts', import.meta.url)))};
      await countOpenFiles();
      try { for (;;) openSync('/dev/null'); } catch {}
      process.exitCode = openFilesState(await countOpenFiles()) === 'too_many' ? 7 : 1;`;
    const node = [process.execPath, '--input-type=module', '-e', program];
    const { status } = spawnSync('sh', ['-c', 'ulimit -n 256 && exec "$@"', 'sh', ...node], { timeout: 60_000 });
    expect(status).toBe(7);
  });

  it('are told of once when they become many, and once when they are too many', async () => {
    const told: unknown[] = [];
    const counts: OpenFiles[] = [10, 85, 86, 99, 99, 10, 85].map((open) => ({ open, limit: 100 }));
    const write = ({ event }: { event: string }): void => void told.push(event);
    const logger = { warn: write, error: write } as never;
    const watch = watchOpenFiles(logger, { everyMs: 1, count: () => Promise.resolve(counts.shift()) });
    while (counts.length > 0) await delay(1);
    watch.stop();
    expect(told).toEqual(['open_files.many', 'open_files.limit_reached', 'open_files.many']);
  });
});
