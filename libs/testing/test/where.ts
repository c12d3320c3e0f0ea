import { describe, expect, it } from '@jest/globals';
import { appendFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Why something cannot be done here, in the words of the code that decides so in a service: `ffmpeg is not installed`.
 * Undefined: it can be done.
 */
export type Lack = string | undefined;

/** `describe` where nothing is lacking. Elsewhere the tests are not even read, and it is noted that they are left out. */
export function describeWhere(lack: Lack, title: string, tests: () => void): void {
  if (lack === undefined) describe(title, tests);
  else describe(title, () => leftOut(title, lack));
}

/** `it` where nothing is lacking, likewise. */
export function itWhere(lack: Lack, title: string, test: () => void | Promise<void>, timeoutMs?: number): void {
  if (lack === undefined) it(title, test, timeoutMs);
  else leftOut(title, lack);
}

function leftOut(title: string, lack: string): void {
  leaveOut(`${lack}: “${title}” is not tested`);
  it.skip(`${title} (${lack})`, () => undefined);
}

const repository = join(import.meta.dirname, '../../..');

/**
 * Notes in a sentence what the running test file leaves out on this machine and why, for the end of the whole run: nothing
 * that is left out is silent.
 */
export function leaveOut(reason: string): void {
  const { TEST_LEFT_OUT: notes = '' } = process.env;
  const { testPath = '' } = expect.getState();
  if (notes !== '') appendFileSync(notes, `${JSON.stringify({ file: relative(repository, testPath), reason })}\n`);
}
