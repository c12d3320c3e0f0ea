import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { partOf, useOfFamilies } from './process-families.ts';

describe('the parts of a platform', () => {
  it.each([
    ['/usr/bin/node --enable-source-maps apps/identity/src/main.ts', 'identity'],
    ['/packages/native/bin/postgres -D /home/postgres', 'PostgreSQL'],
    ['/cache/nats-server --config /home/nats.conf', 'NATS'],
    ['node libs/embedded/src/mongo/embedded-mongo-program.ts', 'MongoDB'],
    ['/usr/bin/mongod --dbpath x', 'MongoDB'],
    ['python3 -m ipykernel', undefined],
  ])('are known by how they were started: %s', (command, part) => {
    expect(partOf(command)).toBe(part);
  });

  it('take what their processes take, and those that these have started', async () => {
    const program =
      'const until = Date.now() + 300; while (Date.now() < until); console.log(1); setInterval(() => {}, 1000)';
    const child = spawn(process.execPath, ['-e', program, 'apps/identity/src/main.ts'], { stdio: 'pipe' });
    try {
      await new Promise((resolve) => child.stdout.once('data', resolve));
      const { cpuSeconds, pssMiB } = useOfFamilies(process.pid).get('identity') ?? { cpuSeconds: 0, pssMiB: 0 };
      expect(cpuSeconds).toBeGreaterThan(0.01);
      expect(pssMiB).toBeGreaterThan(5);
    } finally {
      child.kill();
    }
  });
});
