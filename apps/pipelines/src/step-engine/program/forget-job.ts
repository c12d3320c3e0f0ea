/** What is to be gone before another job: results in memory, and files. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { folderNames } from '../domain/step-messages.ts';

let collect: (() => void) | undefined;

/** A result that was not read to its end holds its engine with all threads, memory and files until it is collected. */
export async function collectGarbage(): Promise<void> {
  collect ??= garbageCollection();
  collect();
  // What is owned outside of JavaScript's heap is let go of after that.
  await nextTurn();
}

function garbageCollection(): () => void {
  // As a flag of the start it would make Node compile its own modules anew.
  setFlagsFromString('--expose-gc');
  const collection = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return collection;
}

export function emptyWorkFolder(folder: string): void {
  const work = join(folder, folderNames.work);
  for (const name of readdirSync(work)) rmSync(join(work, name), { recursive: true, force: true });
}
