import { expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { makeKernelFolder, removeLeftFolders } from '../providers/ipykernel/kernel-folders.ts';

/** As another replica, which may have a name space of processes of its own. */
const replica = `require('net').createServer().listen(process.argv[1], () => console.log('alive'))`;

it('are removed when the process was killed that they are of, with the keys in them, and no others', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'folders-'));
  const sign = join(directory, 'kernel-0a1b2c3d.alive');
  const other = spawn(process.execPath, ['-e', replica, sign], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(other.stdout, 'data');
  const others = ['kernel-notes', 'kernel-x-1'];
  const names = ['kernel-0a1b2c3d-abc', 'kernel-work-0a1b2c3d-abc', ...others];
  for (const name of names) await mkdir(join(directory, name));
  await writeFile(join(directory, names[0] ?? '', 'connection.json'), '{"key":"secret"}');
  await removeLeftFolders(directory);
  expect((await readdir(directory)).sort()).toEqual([...names, basename(sign)].sort());
  other.kill('SIGKILL');
  await once(other, 'exit');
  await removeLeftFolders(directory);
  expect((await readdir(directory)).sort()).toEqual(others);
  await rm(directory, { recursive: true });
});

it('stay while their process is there', async () => {
  const own = await makeKernelFolder('');
  await removeLeftFolders();
  expect(await readdir(tmpdir())).toContain(basename(own));
  await rm(own, { recursive: true });
});
