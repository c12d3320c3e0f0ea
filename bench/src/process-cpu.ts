import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Fields 14 and 15 of /proc/<pid>/stat are user and system time; counted from 0 after the process name they are 11 and 12. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/** Microseconds of CPU that the line of a /proc/<pid>/stat file shows for all threads of its process. */
export const cpuOfStatLine = (line: string, ticksPerSecond: number): number => {
  // The name is in parentheses and may hold spaces and parentheses itself.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) * 1_000_000) / ticksPerSecond;
};

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** CPU time that a process has used since its start, in microseconds, to the tick (10 ms on Linux). */
export const processCpu = (pid: number): number =>
  cpuOfStatLine(readFileSync(`/proc/${pid}/stat`, 'utf8'), ticksPerSecond);
