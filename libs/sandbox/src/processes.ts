import { readdirSync, readFileSync } from 'node:fs';

/** A process and all below it. `allThreads`: children are looked for at every thread. */
export function familyOf(pid: number, allThreads: boolean): number[] {
  const threads = allThreads ? threadsOf(pid) : [String(pid)];
  const children = threads.flatMap((thread) =>
    told(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap((child) => familyOf(child, allThreads))];
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** What the kernel says, at once: waiting for it would cost many times as much. Nothing of a process that is gone. */
export function told(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
