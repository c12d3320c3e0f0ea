import { expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { makeKernelFolder, removeLeftFolders } from '../providers/ipykernel/kernel-folders.ts';

it('are removed when the process was killed that they are of, with the keys in them, and no others', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'folders-'));
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const names = [
    `kernel-${String(other.pid)}-abc`,
    `kernel-work-${String(other.pid)}-abc`,
    'kernel-notes',
    'kernel-x-1',
  ];
  for (const name of names) await mkdir(join(directory, name));
  await writeFile(join(directory, names[0] ?? '', 'connection.json'), '{"key":"secret"}');
  await removeLeftFolders(directory);
  expect((await readdir(directory)).sort()).toEqual([...names].sort());
  other.kill('SIGKILL');
  await once(other, 'exit');
  await removeLeftFolders(directory);
  expect((await readdir(directory)).sort()).toEqual(['kernel-notes', 'kernel-x-1']);
  await rm(directory, { recursive: true });
});

it('stay while their process is there', async () => {
  const own = await makeKernelFolder('');
  await removeLeftFolders();
  expect(await readdir(tmpdir())).toContain(basename(own));
  await rm(own, { recursive: true });
});
