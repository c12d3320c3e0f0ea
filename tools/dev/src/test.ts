/** `npm test`: every check there is, one after another, with the totals of all tests at the end. */
import { spawn, type ChildProcess } from 'node:child_process';
import { whenStarterEnds } from '../ancestry.mjs';
import { seconds } from './progress.ts';
import { repository } from './settings.ts';
import { forgetTestTotals, sumTestTotals, totalsLine } from './test-totals.ts';

interface Check {
  readonly name: string;
  readonly command: readonly string[];
}

const nx = ['nx', 'run-many', '--parallel=2', '--outputStyle=static'];
const endToEnd = '@platform-backend/e2e';

const checks: readonly Check[] = [
  { name: 'formatting', command: ['prettier', '--check', '--log-level=warn', '.'] },
  { name: 'boundaries', command: ['npm', 'run', '--silent', 'boundaries'] },
  { name: 'dead code', command: ['knip', '--no-progress', '--no-config-hints', '--include=files,exports'] },
  { name: 'protos: lint', command: ['npm', 'run', '--silent', 'protos:lint'] },
  { name: 'protos: nothing breaks', command: ['npm', 'run', '--silent', 'protos:breaking'] },
  { name: 'types, lint, unit tests', command: [...nx, '--targets=typecheck,lint,test'] },
  { name: 'integration tests', command: [...nx, '--targets=integration', `--exclude=${endToEnd}`] },
  // Alone, for it measures and waits on a whole platform.
  { name: 'end to end', command: [...nx, '--targets=integration', `--projects=${endToEnd}`] },
];

let running: ChildProcess | undefined;
let interrupted = false;

const stop = (): void => {
  interrupted = true;
  running?.kill('SIGTERM');
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
whenStarterEnds(stop);

process.exit(await runChecks());

async function runChecks(): Promise<number> {
  forgetTestTotals(repository);
  const failed: string[] = [];
  for (const check of checks) {
    console.log(`\n── ${check.name}`);
    const startedAt = performance.now();
    const succeeded = await run(check.command);
    if (interrupted) return 1;
    if (!succeeded) failed.push(check.name);
    console.log(`${succeeded ? '✓' : '✗'} ${check.name} (${seconds(performance.now() - startedAt)})`);
  }
  const totals = sumTestTotals(repository);
  if (totals.unsteady.length > 0)
    console.log(`\nPassed only when they were run once more:\n${totals.unsteady.join('\n')}`);
  console.log(failed.length === 0 ? '\nEvery check passed.' : `\nNot passed: ${failed.join('; ')}.`);
  console.log(totalsLine(totals));
  return failed.length === 0 && totals.failed === 0 ? 0 : 1;
}

async function run([command = '', ...args]: readonly string[]): Promise<boolean> {
  const child = spawn(command, args, {
    cwd: repository,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: checkEnvironment(),
  });
  running = child;
  return await new Promise((resolve) => {
    child.once('error', (error) => {
      console.error(`${command} could not be run: ${error.message}`);
      resolve(false);
    });
    child.once('exit', (code) => resolve(code === 0));
  });
}

function checkEnvironment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    // Nx would leave a daemon behind, and draw over the log.
    NX_DAEMON: 'false',
    NX_TUI: 'false',
    // Nx colours even what goes into a file.
    ...(process.stdout.isTTY ? {} : { FORCE_COLOR: '0', NO_COLOR: '1' }),
  };
}
