import { existsSync } from 'node:fs';
import type { SystemUser } from '../postgres/system-user.ts';

/** The command line that makes the kernel signal this command when its parent dies, and runs it as `user`. */
export function withParentDeathSignal(
  signal: NodeJS.Signals,
  user: SystemUser | undefined,
  command: string[],
): string[] {
  const program = setpriv();
  if (program === undefined) return command;
  const identity = user ? [`--reuid=${String(user.uid)}`, `--regid=${String(user.gid)}`, '--clear-groups'] : [];
  return [program, '--pdeathsig', signal.replace('SIG', ''), ...identity, '--', ...command];
}

/**
 * A shell stands between us and the child, passes the signals on and deletes the folder afterwards.
 * `wait` returns early when a signal arrives, hence the loop.
 */
export function withCleanUp(directory: string, stopSignal: NodeJS.Signals, command: string[]): string[] {
  const signal = stopSignal.replace('SIG', '');
  const script = `
    directory=$1; shift
    code=0
    "$@" &
    child=$!
    trap 'kill -${signal} $child 2>/dev/null' ${signal === 'TERM' ? 'TERM' : `TERM ${signal}`}
    while kill -0 $child 2>/dev/null; do wait $child; code=$?; done
    rm -rf -- "$directory"
    exit $code`;
  return withParentDeathSignal('SIGTERM', undefined, ['sh', '-c', script, 'sh', directory, ...command]);
}

/** Where util-linux's setpriv is, which every Linux distribution has; other systems do without it. */
export function setpriv(): string | undefined {
  return ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
}
