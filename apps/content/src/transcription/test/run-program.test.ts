import { afterAll, expect, it } from '@jest/globals';
import { describeWhere } from '@platform-backend/testing/where';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInSandbox, testSandbox } from '../../../test/test-sandbox.ts';

/** What a converter of sounds could do that a recording has taken over: a shell stands for it, which reads and writes as it likes. */
describeWhere(testSandbox.reason, 'a converter that a recording has taken over', () => {
  const folder = mkdtempSync(join(tmpdir(), 'converter-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const [recording, target, other] = ['recording', 'target', 'recording-of-others'].map((name) => join(folder, name));
  for (const path of [recording, target, other]) writeFileSync(path ?? '', 'sound');
  const shell = (script: string) =>
    runInSandbox('/bin/sh', {
      args: ['-c', script],
      readable: [recording ?? ''],
      writable: [target ?? ''],
      fileBytes: 64 * 1024,
      timeoutMs: 20_000,
      missing: () => new Error('no shell'),
    });

  it('reads its recording and writes its samples, and neither reads nor writes anything else', async () => {
    const read = await shell(`read line < ${recording}; echo "$line" > ${target}; echo "$line"`);
    expect([read.stdout, readFileSync(target ?? '', 'utf8')]).toEqual(['sound\n', 'sound\n']);
    for (const path of [other, '/etc/passwd', '/root/.profile', '/proc/1/root/etc/passwd'])
      expect((await shell(`read line < ${path} && echo "$line"`)).stdout).toBe('');
    for (const path of [recording, join(folder, 'left'), '/tmp/left', '/usr/lib/left'])
      expect((await shell(`echo x > ${path} && echo written`)).stdout).toBe('');
    expect(readFileSync(recording ?? '', 'utf8')).toBe('sound');
  });

  it('has nothing of our environment, starts no program and writes no file without end', async () => {
    process.env['OUR_SECRET'] = 'a secret';
    try {
      expect((await shell('export -p')).stdout).not.toMatch(/secret/i);
    } finally {
      delete process.env['OUR_SECRET'];
    }
    expect((await shell('(echo started); true')).stdout).toBe('');
    const endless = await shell(`while echo 0123456789012345678901234567890123456789; do :; done > ${target}`);
    expect(endless.status).not.toBe(0);
    expect(readFileSync(target ?? '').length).toBeLessThanOrEqual(128 * 1024);
  });

  it('is ended when it says more than anybody reads', async () => {
    await expect(shell('while echo 0123456789012345678901234567890123456789; do :; done')).rejects.toThrow(
      'says too much',
    );
  });
});
