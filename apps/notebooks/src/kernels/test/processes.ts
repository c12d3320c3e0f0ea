import { readFileSync } from 'node:fs';

/** Of a process of this machine; empty for one that has ended. */
export function commandLineOf(pid: number | string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
