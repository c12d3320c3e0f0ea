import { readdirSync, readFileSync } from 'node:fs';

/** The ids of the processes that live and have this word on their command line. */
export const processesWith = (word: string): string[] =>
  readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandLineOf(name).includes(word));

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
