import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readStatLine, ticksPerSecond, type StatLine } from '../process-cpu.ts';

/** What a part of the platform takes: its process, with those that this has started. */
export interface FamilyUse {
  /** Seconds of CPU since they began, those of children that have ended included. */
  readonly cpuSeconds: number;
  /** Proportional set size: what it alone has, and its share of what it has together with others. In MiB. */
  readonly pssMiB: number;
}

interface Process extends StatLine {
  readonly command: string;
}

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It ended between the listing and the reading.
    return '';
  }
};

const processes = (): Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const stat = read(`/proc/${pid}/stat`);
      if (stat === '') return [];
      const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim();
      return [{ ...readStatLine(stat, ticksPerSecond), command: command === '' ? programOf(pid) : command }];
    });

const programOf = (pid: string): string => {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return '';
  }
};

const pssMiB = (pid: number): number =>
  Number(/^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1_024;

/** By what a process was started as. */
export function partOf(command: string): string | undefined {
  const app = /apps\/([a-z]+)\/src\/main\.ts/.exec(command)?.[1];
  if (app !== undefined) return app;
  if (/\bpostgres\b/.test(command)) return 'PostgreSQL';
  if (/nats-server/.test(command)) return 'NATS';
  return /mongod|secantus|mongo/.test(command) ? 'MongoDB' : undefined;
}

export interface ProcessUse extends FamilyUse {
  readonly part: string;
  readonly command: string;
}

/** What each process takes of what a process has started, and that one itself, by its number. */
export function useOfProcesses(starter: number): ReadonlyMap<number, ProcessUse> {
  const uses = new Map<number, ProcessUse>();
  eachOfFamily(starter, (part, { pid, cpu, endedChildrenCpu, command }) =>
    uses.set(pid, { part, command, cpuSeconds: (cpu + endedChildrenCpu) / 1e6, pssMiB: pssMiB(pid) }),
  );
  return uses;
}

/** What is taken by each part of what a process has started, and by that one itself. */
export function useOfFamilies(starter: number): ReadonlyMap<string, FamilyUse> {
  const uses = new Map<string, FamilyUse>();
  eachOfFamily(starter, (part, { pid, cpu, endedChildrenCpu }) => {
    const { cpuSeconds, pssMiB: pss } = uses.get(part) ?? { cpuSeconds: 0, pssMiB: 0 };
    uses.set(part, { cpuSeconds: cpuSeconds + (cpu + endedChildrenCpu) / 1e6, pssMiB: pss + pssMiB(pid) });
  });
  return uses;
}

function eachOfFamily(starter: number, add: (part: string, one: Process) => void): void {
  const all = processes();
  const addFamily = (one: Process, part: string): void => {
    add(part, one);
    for (const child of all.filter(({ parent }) => parent === one.pid))
      addFamily(child, part === STARTER ? (partOf(child.command) ?? part) : part);
  };
  for (const one of all.filter(({ pid }) => pid === starter)) addFamily(one, STARTER);
}

const STARTER = 'npm start';
