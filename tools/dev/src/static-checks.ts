import { spawn } from 'node:child_process';
import { seconds } from './progress.ts';

/** A command that looks at the files and starts nothing. */
interface StaticCheck {
  readonly name: string;
  readonly command: readonly string[];
}

const node = process.execPath;

/** The long ones first. */
const STATIC_CHECKS: readonly StaticCheck[] = [
  // Types and lint for all projects at once: one after another they would read thirty times what they share.
  { name: 'lint', command: ['oxlint'] },
  { name: 'formatting', command: ['oxfmt', '--list-different', '.'] },
  { name: 'types', command: ['tsc', '-p', 'tsconfig.workspace.json', '--checkers', '1'] },
  { name: 'dead code', command: ['knip', '--no-progress', '--no-config-hints', '--include=files,exports'] },
  { name: 'boundaries', command: [node, 'tools/boundaries/src/main.ts'] },
  { name: 'protos: lint', command: [node, 'tools/protos/src/lint.ts'] },
  { name: 'protos: nothing breaks', command: [node, 'tools/protos/src/check-promises.ts'] },
];

/** How many run at once. */
const AT_ONCE = 2;

/**
 * Types and lint are Go programs that end after a minute: with their memory collected less often lint takes more than a quarter
 * less of a processor, and half as much memory again.
 */
const ENVIRONMENT = { GOGC: '400', ...process.env };

/**
 * Runs them, says how each ended, and what those printed that failed.
 *
 * @returns The names of those that failed.
 */
export async function runStaticChecks(root: string, signal: AbortSignal): Promise<string[]> {
  const left = [...STATIC_CHECKS];
  const failed: string[] = [];
  const work = async (): Promise<void> => {
    for (let check = left.shift(); check && !signal.aborted; check = left.shift()) {
      const startedAt = performance.now();
      const { code, output } = await outputOf(check.command, root, signal);
      const took = seconds(performance.now() - startedAt);
      if (code === 0) console.log(`✓ ${check.name} (${took})`);
      else {
        console.log(`✗ ${check.name} (${took})\n${output}`);
        failed.push(check.name);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failed;
}

function outputOf(
  [command = '', ...args]: readonly string[],
  cwd: string,
  signal: AbortSignal,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, {
    cwd,
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGTERM',
  });
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  child.stderr.on('data', (part: Buffer) => parts.push(part));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, output: `${command} could not be run: ${error.message}` }));
    child.once('close', (code) => resolve({ code, output: Buffer.concat(parts).toString() }));
  });
}
