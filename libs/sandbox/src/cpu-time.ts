import { familyOf, told } from './processes.ts';

/** A clock tick of Linux, as its programs see it. */
const TICK_MS = 10;

/**
 * Milliseconds of CPU that a process and all that are below it have had, those among them that have ended and were waited for;
 * undefined where nobody can tell.
 */
export function cpuMsOf(pid: number | undefined): number | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined;
  const ticks = familyOf(pid, true).map((one) => {
    const stat = told(`/proc/${one}/stat`);
    // Behind the name, which may be anything: user, system, and both of its children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  });
  return TICK_MS * ticks.reduce((sum, one) => sum + one, 0);
}
