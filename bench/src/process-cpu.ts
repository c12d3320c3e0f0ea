import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Fields 4 and 14 to 17 of /proc/<pid>/stat, counted from 0 after the process name. */
const PARENT = 1;
const USER_TIME = 11;
const SYSTEM_TIME = 12;
const ENDED_CHILDREN_USER_TIME = 13;
const ENDED_CHILDREN_SYSTEM_TIME = 14;

/** What the line of a /proc/<pid>/stat file says; times are microseconds of CPU of all threads. */
export interface StatLine {
  readonly pid: number;
  readonly parent: number;
  readonly cpu: number;
  /** Of children that have ended. */
  readonly endedChildrenCpu: number;
}

export const readStatLine = (line: string, ticksPerSecond: number): StatLine => {
  // The name is in parentheses and may hold spaces and parentheses itself.
  const fields = line
    .slice(line.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const microsOf = (...positions: number[]): number =>
    (positions.reduce((sum, position) => sum + (fields[position] ?? NaN), 0) * 1_000_000) / ticksPerSecond;
  return {
    pid: Number.parseInt(line, 10),
    parent: fields[PARENT] ?? NaN,
    cpu: microsOf(USER_TIME, SYSTEM_TIME),
    endedChildrenCpu: microsOf(ENDED_CHILDREN_USER_TIME, ENDED_CHILDREN_SYSTEM_TIME),
  };
};

export const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

const statOf = (pid: number): StatLine => readStatLine(readFileSync(`/proc/${pid}/stat`, 'utf8'), ticksPerSecond);

/** CPU time that a process has used since its start, in microseconds, to the tick (10 ms on Linux). */
export const processCpu = (pid: number): number => statOf(pid).cpu;

/** The same of a process and its children, those that have ended included. */
export const familyCpu = (pid: number): number => {
  const { cpu, endedChildrenCpu } = statOf(pid);
  const children = livingProcesses().filter(({ parent }) => parent === pid);
  return children.reduce((sum, child) => sum + child.cpu, cpu + endedChildrenCpu);
};

/** The same of all that a process has started and that still lives, itself left out. */
export const descendantsCpu = (pid: number): number => {
  const processes = livingProcesses();
  const below = (parent: number): number =>
    processes
      .filter((process) => process.parent === parent)
      .reduce((sum, process) => sum + process.cpu + below(process.pid), 0);
  return below(pid);
};

/** How often processes are looked at. What one takes after the last look before its end is not seen. */
const LOOK_MS = 100;

/**
 * Counts the CPU that processes and all below them take from now on, in microseconds: also of those that end meanwhile, which nobody may wait
 * for that is asked for theirs.
 */
export function countTreeCpu(roots: readonly number[]): { readonly end: () => number } {
  const seen = new Map<number, number>();
  let micros = 0;
  const look = (isFirst: boolean): void => {
    const processes = livingProcesses();
    const below = new Set(roots);
    // A process is begun by one that was there before it, as a rule: those that are not in order are found by another round.
    for (let size = 0; size < below.size;) {
      size = below.size;
      for (const { pid, parent } of processes) if (below.has(parent)) below.add(pid);
    }
    for (const { pid, cpu } of processes) {
      if (!below.has(pid)) continue;
      const before = seen.get(pid) ?? (isFirst ? cpu : 0);
      // Less than before: another process has the number.
      micros += cpu >= before ? cpu - before : cpu;
      seen.set(pid, cpu);
    }
  };
  look(true);
  const timer = setInterval(() => look(false), LOOK_MS);
  return {
    end() {
      clearInterval(timer);
      look(false);
      return micros;
    },
  };
}

export const parentOf = (pid: number): number => statOf(pid).parent;

const livingProcesses = (): StatLine[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [statOf(Number(pid))];
      } catch {
        // It ended between the listing and the reading.
        return [];
      }
    });
