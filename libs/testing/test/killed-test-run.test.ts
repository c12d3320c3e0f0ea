import { expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { waitFor } from '../src/index.ts';

it('throwaway servers end with the test run, even when it is killed with SIGKILL', async () => {
  const run = spawn(process.execPath, [join(import.meta.dirname, 'fixtures/test-run.ts')], {
    // A run of its own, which shares no server with this one.
    env: { ...process.env, TEST_SERVERS: undefined },
  });
  const [text] = (await once(run.stdout, 'data')) as [Buffer];
  const urls = Object.values(JSON.parse(text.toString()) as Record<string, string>);
  const ports = urls.map((url) => Number(new URL(url).port));
  await expect(Promise.all(ports.map(answers))).resolves.toEqual([true, true]);

  run.kill('SIGKILL');
  await waitFor(async () => !(await Promise.all(ports.map(answers))).some(Boolean), { what: 'the end of the servers' });
});

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
