/**
 * Who started us, and are they still there? Plain JavaScript, for the bootstrap runs on any Node >= 18.
 * Nothing tells a process that its parent was killed, so we look twice a second.
 */
import { readFileSync } from 'node:fs';
import { clearInterval, setInterval } from 'node:timers';

const lookEveryMs = 500;

/**
 * Calls `ended` once when the process that started us is gone. If npm started us through a shell, npm
 * itself is watched too: after `kill -9` of npm the shell would wait for us for ever.
 *
 * @param {() => void} ended
 */
export function whenStarterEnds(ended) {
  const parent = process.ppid;
  const npm = npmAbove(parent);
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || startTimeOf(npm.pid) === npm.startTime)) return;
    clearInterval(timer);
    ended();
  }, lookEveryMs);
  timer.unref();
}

/** @param {number} shell */
function npmAbove(shell) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const pid = Number(statOf(shell)?.[1] ?? 0);
  const startTime = startTimeOf(pid);
  return pid > 1 && startTime !== undefined && commandLineOf(pid).startsWith('npm') ? { pid, startTime } : undefined;
}

/** @param {number} pid */
const startTimeOf = (pid) => statOf(pid)?.[19];

/**
 * The fields of /proc/PID/stat after the command: state, parent, ... Undefined when there is no such
 * process or no /proc.
 *
 * @param {number} pid
 */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function commandLineOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
