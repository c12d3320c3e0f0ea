import { readdirSync, readFileSync } from 'node:fs';

/** The processes that one has started, and theirs, with their command lines. */
export function processesBelow(pid: number, found = new Map<number, string>()): Map<number, string> {
  const threads = listed(`/proc/${pid}/task`);
  for (const child of threads.flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean),
  )) {
    found.set(Number(child), read(`/proc/${child}/cmdline`));
    processesBelow(Number(child), found);
  }
  return found;
}

/** Those that are still there, and not another one with the same number. */
export const alive = (processes: ReadonlyMap<number, string>): number[] =>
  [...processes].filter(([pid, line]) => line !== '' && read(`/proc/${pid}/cmdline`) === line).map(([pid]) => pid);

/** Empty for what has just ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function listed(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
