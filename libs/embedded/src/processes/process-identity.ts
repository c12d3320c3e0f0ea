import { readFileSync } from 'node:fs';

/** Is there a process with this id? A zombie, which only waits for its parent to notice, is not one. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return processState(pid) !== 'Z';
}

/**
 * Process ids are reused, so an id from a file proves nothing by itself: this also compares the
 * command line. Where there is no /proc the answer is no, and nothing gets killed by mistake.
 */
export function isProcessWith(pid: number, partOfCommandLine: string): boolean {
  if (!isAlive(pid)) return false;
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8')
      .replaceAll('\0', ' ')
      .includes(partOfCommandLine);
  } catch {
    return false;
  }
}

/** Together with the id this names one process for as long as the machine runs; undefined without /proc. */
export function startTimeOf(pid: number): string | undefined {
  return statFields(pid)?.[19];
}

function processState(pid: number): string | undefined {
  return statFields(pid)?.[0];
}

/** The fields of /proc/PID/stat after the command, which may itself hold blanks and brackets. */
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
