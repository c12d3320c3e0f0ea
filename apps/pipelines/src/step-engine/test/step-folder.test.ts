import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StepJob } from '../domain/step-job.ts';
import { newStepFolder } from '../processes/step-folder.ts';

/** What a program that somebody has taken over may say and leave behind. */
describe('the folder of a step', () => {
  let directory: string;
  let secret: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'step-folder-'));
    secret = join(directory, 'secret');
    await writeFile(secret, 'of somebody else');
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const jobFor = (file: string): StepJob => ({
    kind: 'TRANSFORM',
    inputs: [],
    query: 'SELECT 1',
    output: { name: 'sums', file },
    limits: { memoryBytes: 1, seconds: 1, threads: 1, outputBytes: 1, rows: 1 },
  });
  it('gives what the program was told to write, and nothing where nobody wants anything', async () => {
    const folder = await newStepFolder(join(directory, 'named'));
    const job = jobFor(join(directory, 'kept'));
    const told = await folder.prepare(job, 1);
    await writeFile(join(folder.path, String(told.output?.file)), 'its own');
    await expect(folder.collect({ output: null }, 1)).rejects.toThrow('nobody wants');
    await folder.collect(job, 1);
    expect(await readFile(join(directory, 'kept'), 'utf8')).toBe('its own');
    expect(await readFile(secret, 'utf8')).toBe('of somebody else');
  });

  it('gives nothing that leads out of it', async () => {
    const folder = await newStepFolder(join(directory, 'linked'));
    const job = jobFor(join(directory, 'linked-to'));
    const told = await folder.prepare(job, 1);
    await symlink(secret, join(folder.path, String(told.output?.file)));
    await expect(folder.collect(job, 1)).rejects.toThrow('is no file');
    expect(await readdir(directory)).not.toContain('linked-to');
  });
});
