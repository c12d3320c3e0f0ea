import { afterAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { supervise } from '../src/index.ts';
import { rotateIfLarge } from '../src/processes/log-size.ts';
import { temporaryFolder, until } from './temporary-folder.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

describe('a log that a process writes on and on', () => {
  it('stays within its bounds while the process lives, and no line of it is torn', async () => {
    const limit = 100_000;
    const log = join(folder.path, 'endless.log');
    const descriptor = openSync(log, 'a', 0o600);
    const writer = spawn('sh', ['-c', 'i=0; while :; do i=$((i+1)); echo "line $i of a log that never ends"; done'], {
      stdio: ['ignore', descriptor, 'ignore'],
    });
    closeSync(descriptor);
    const numberOf = (line: string): number => Number(/^line (\d+) of a log that never ends$/.exec(line)?.[1]);
    let last = 0;
    try {
      // On a busy machine so many lines may be there when it is looked at for the first time.
      for (let rotations = 0; last < 20_000 || rotations < 2; rotations += 1) {
        await until(() => statSync(log).size > limit, 'more lines');
        await rotateIfLarge(log, limit);
        const lines = readFileSync(join(folder.path, 'endless.1.log'), 'utf8').trimEnd().split('\n');
        const numbers = lines.map(numberOf);
        // In order and without a gap inside of one file; a torn line would have no number.
        expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
        expect(numbers[0]).toBeGreaterThan(last);
        last = numbers.at(-1) ?? 0;
      }
    } finally {
      writer.kill('SIGKILL');
      await once(writer, 'exit');
    }
    await rotateIfLarge(log, limit);

    expect(readdirSync(folder.path).sort()).toEqual(['endless.1.log', 'endless.2.log', 'endless.log']);
    expect(statSync(log).size).toBeLessThanOrEqual(limit);
    for (const aside of ['endless.1.log', 'endless.2.log']) {
      const { size, mode } = statSync(join(folder.path, aside));
      expect(size).toBeLessThanOrEqual(2 * limit);
      expect(mode & 0o777).toBe(0o600);
    }
  });

  it('is put aside before and while a supervised child runs', async () => {
    const logFile = join(folder.path, 'child.log');
    const large = 11 * 1024 * 1024;
    writeFileSync(logFile, 'x'.repeat(large));
    const child = await supervise({
      name: 'the child',
      command: 'sh',
      args: ['-c', 'echo ready; head -c 11534336 /dev/zero; exec sleep 600'],
      logFile,
      stopSignal: 'SIGTERM',
      ready: (line) => (line === 'ready' ? true : undefined),
    });
    expect(existsSync(join(folder.path, 'child.1.log'))).toBe(true);
    await until(() => existsSync(join(folder.path, 'child.2.log')) && statSync(logFile).size === 0, 'the second log');
    await child.stop();
  });
});
