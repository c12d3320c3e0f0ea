import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrations } from '../src/migrations.ts';

describe('the migrations of a service', () => {
  let folder: string;
  let migrate: (signal: AbortSignal) => Promise<void>;
  const { signal } = new AbortController();
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  /** What the service was asked to do, and whether it was told how to connect as the owner. */
  const runs = (): string[] => readFileSync(join(folder, 'runs'), 'utf8').split('\n').slice(0, -1);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'migrations-'));
    for (const name of ['src', 'migrations']) mkdirSync(join(folder, name));
    write('migrations/0001_first.ts', '');
    write('package.json', '{"type":"module"}');
    write(
      'src/main.ts',
      `import { appendFileSync, existsSync } from 'node:fs';
       appendFileSync(${JSON.stringify(join(folder, 'runs'))}, process.argv[2] + ' ' + process.env.OWNER + '\\n');
       if (existsSync(${JSON.stringify(join(folder, 'obstacle'))})) throw new Error('no such column');`,
    );
    const main = join(folder, 'src/main.ts');
    migrate = migrations({ name: 'identity', main, env: { OWNER: 'known' }, logFile: join(folder, 'log') });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('run once, and again when there is one more', async () => {
    await migrate(signal);
    await migrate(signal);
    expect(runs()).toEqual(['migrate known']);
    write('migrations/0002_second.ts', '');
    await migrate(signal);
    expect(runs()).toHaveLength(2);
  });

  it('run again after one has failed, which says why', async () => {
    write('obstacle', '');
    await expect(migrate(signal)).rejects.toThrow(/the migration of identity ended with code 1:[^]*no such column/);
    rmSync(join(folder, 'obstacle'));
    await migrate(signal);
    expect(runs()).toHaveLength(2);
  });
});
