import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StepJob, WrittenOutput } from '../domain/step-job.ts';
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
    outputs: [{ name: 'sums', file }],
    limits: { memoryBytes: 1, seconds: 1, threads: 1, outputBytes: 1, rows: 1 },
  });
  const saysOf = (file: string): WrittenOutput[] => [
    { name: 'sums', file, rows: 1, bytes: 1, columns: [], statistics: [] },
  ];

  it('gives what the program was told to write, and no other file that it names', async () => {
    const folder = await newStepFolder(join(directory, 'named'));
    const job = jobFor(join(directory, 'kept'));
    const [told] = (await folder.placeInputs(job)).outputs;
    await writeFile(join(folder.path, String(told?.file)), 'its own');
    await folder.collect(saysOf('../../secret'), job);
    expect(await readFile(join(directory, 'kept'), 'utf8')).toBe('its own');
    expect(await readFile(secret, 'utf8')).toBe('of somebody else');
  });

  it('gives nothing that leads out of it', async () => {
    const folder = await newStepFolder(join(directory, 'linked'));
    const job = jobFor(join(directory, 'linked-to'));
    const [told] = (await folder.placeInputs(job)).outputs;
    await symlink(secret, join(folder.path, String(told?.file)));
    await expect(folder.collect(saysOf('output-0'), job)).rejects.toThrow('is no file');
    expect(await readdir(directory)).not.toContain('linked-to');
  });
});
