import type { ChildProcess } from 'node:child_process';
import { familyOf, told } from './processes.ts';
import type { GuestOptions } from './sandbox.ts';

/** How often a guest is looked at. What it can take in between is more than its limit by what it can fill in that time. */
const everyMs = 100;
/** Looks after which one that starts no processes is asked for them again: at its beginning it is not all there. */
const looksUntilAskedAgain = 10;
/** Of a guest. Their stacks are small, and the machine has only so many. */
const maxThreads = 1000;

/**
 * Kills a guest that holds more memory than it may, or has threads without end. `allThreads`: children are looked for at
 * every thread, as they are with Node, and each time; a guest that starts none is asked at less cost.
 */
export function watchMemory(
  guest: ChildProcess,
  { memoryBytes, onTooMuchMemory }: Pick<GuestOptions, 'memoryBytes' | 'onTooMuchMemory'>,
  { allThreads }: { readonly allThreads: boolean },
): void {
  const { pid } = guest;
  if (pid === undefined || process.platform !== 'linux') return;
  let looks = 0;
  let processes: readonly number[] = [];
  const look = (): void => {
    if (allThreads || looks % looksUntilAskedAgain === 0) processes = familyOf(pid, allThreads);
    looks += 1;
    const { bytes, threads } = heldBy(processes);
    const isTooMuch = bytes > memoryBytes;
    if ((!isTooMuch && threads <= maxThreads) || guest.exitCode !== null || guest.signalCode !== null) return;
    clearInterval(timer);
    if (isTooMuch) onTooMuchMemory?.();
    guest.kill('SIGKILL');
  };
  const timer = setInterval(look, everyMs).unref();
  guest.once('exit', () => clearInterval(timer));
}

/** Bytes that a process and all below it hold; undefined where nobody can tell. */
export function memoryBytesOf(pid: number | undefined): number | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined;
  return heldBy(familyOf(pid, true)).bytes;
}

/** Bytes that processes hold, in memory or swapped out, and their threads; nothing for those that are gone. */
function heldBy(processes: readonly number[]): { readonly bytes: number; readonly threads: number } {
  const statuses = processes.map((pid) => told(`/proc/${pid}/status`));
  const sumOf = (line: RegExp): number =>
    statuses.flatMap((status) => [...status.matchAll(line)]).reduce((sum, [, count]) => sum + Number(count), 0);
  return { bytes: sumOf(/^Vm(?:RSS|Swap):\s+(\d+) kB$/gm) * 1024, threads: sumOf(/^Threads:\s+(\d+)$/gm) };
}
