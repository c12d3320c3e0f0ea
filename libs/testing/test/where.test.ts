import { afterAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
const dev = join(import.meta.dirname, '../../../tools/dev/jest');
const folder = mkdtempSync(join(tmpdir(), 'where-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('tests of what is not on every machine', () => {
  it('run where it is there, and elsewhere are not read, but noted with their reason', () => {
    const [results, notes] = [join(folder, 'results.json'), join(folder, 'left-out.jsonl')];
    const config = {
      rootDir: join(import.meta.dirname, 'fixtures'),
      testMatch: ['**/tests-of-what-is-there.ts'],
      testEnvironment: join(dev, 'environment.mjs'),
      runtime: join(dev, 'native-runtime.mjs'),
      transform: {},
    };
    const args = [jest, '--config', JSON.stringify(config)];
    const env = { ...process.env, TEST_LEFT_OUT: notes };
    spawnSync(process.execPath, [...args, '--json', '--outputFile', results], { env });
    const { numPassedTests: passed, numPendingTests: skipped, numFailedTests: failed } = read(results);
    expect({ passed, skipped, failed }).toEqual({ passed: 2, skipped: 2, failed: 0 });
    const noted = readFileSync(notes, 'utf8').trim().split('\n');
    const file = 'libs/testing/test/fixtures/tests-of-what-is-there.ts';
    expect(noted.map((line) => JSON.parse(line) as unknown)).toEqual([
      { file, reason: 'nowhere is not installed: “a program that is not there” is not tested' },
      { file, reason: 'there is no such place: “a place that is not there” is not tested' },
      { file, reason: 'there is no voice: a second of silence stands in for a sentence' },
    ]);
  });
});

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>;
