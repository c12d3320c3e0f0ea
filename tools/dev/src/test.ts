/** `npm test`: every check there is, or some of the tests. See `test-arguments.ts` for what it takes. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { whenStarterEnds } from '../ancestry.mjs';
import { totalsLine } from '../jest/report-lines.mjs';
import { affectedProjects } from './affected-projects.ts';
import { repository } from './settings.ts';
import { runStaticChecks } from './static-checks.ts';
import { readTestArguments, TEST_USAGE, type TestArguments } from './test-arguments.ts';
import { testPathPatterns } from './test-selection.ts';
import { canBeRepeated, withRepeated, type RunTotals } from './test-totals.ts';

const stopping = new AbortController();
const isStopping = (): boolean => stopping.signal.aborted;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
whenStarterEnds(() => stopping.abort());

try {
  const args = readTestArguments(process.argv.slice(2), process.env);
  if (args.help) console.log(TEST_USAGE);
  process.exit(args.help ? 0 : await runTests(args));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)} (npm test -- --help says what there is)`);
  process.exit(2);
}

async function runTests(args: TestArguments): Promise<number> {
  const { selected, project, title, watch, affected, base } = args;
  const touched = affected || args.long === 'affected' ? await affectedProjects(repository, base) : [];
  if (affected && touched.length === 0) {
    console.log(`Nothing changed since ${base}.`);
    return 0;
  }
  const isWhole = selected.length === 0 && project === undefined && title === undefined && !watch;
  const failed = isWhole ? await runStaticChecks(repository, checkEnvironment(), stopping.signal) : [];
  if (isStopping()) return 1;

  const directory = mkdtempSync(join(tmpdir(), 'test-run-'));
  const totalsFile = join(directory, 'totals.json');
  try {
    const environment = {
      TEST_LONG: args.long === 'affected' ? touched.join(',') : args.long,
      TEST_LEFT_OUT: join(directory, 'left-out.jsonl'),
      // A run within a test of another run tells its own totals.
      TEST_TOTALS: isWhole ? totalsFile : undefined,
    };
    let code = await runJest(jestArguments(args, affected ? [...touched, ...selected] : selected), environment);
    let totals = existsSync(totalsFile) ? readTotals(totalsFile) : undefined;
    if (args.repeatFailed && code !== 0 && totals && canBeRepeated(totals) && !isStopping()) {
      const files = totals.failedFiles.map(({ file }) => file);
      console.log(`\nOnce more, by themselves, the files that failed:\n${files.join('\n')}\n`);
      code = await runJest(jestArguments({ ...args, workers: 1 }, files), environment);
      totals = withRepeated(totals, readTotals(totalsFile));
      if (code === 0) console.log(`\nPassed only when they were run once more:\n${files.join('\n')}`);
    }
    if (code !== 0) failed.push('tests');
    if (isWhole) {
      console.log(failed.length === 0 ? 'Every check passed.' : `Not passed: ${failed.join('; ')}.`);
      // Alone on the last line, for people and machines.
      if (totals) console.log(totalsLine(totals));
    }
    return failed.length === 0 ? 0 : 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function readTotals(file: string): RunTotals {
  return JSON.parse(readFileSync(file, 'utf8')) as RunTotals;
}

function jestArguments(args: TestArguments, selected: readonly string[]): string[] {
  const { project, title, watch, updateSnapshots, workers } = args;
  return [
    '--config',
    join(repository, 'jest.config.mjs'),
    // Tests wait for servers and processes much of the time.
    `--maxWorkers=${String(workers ?? availableParallelism() + 1)}`,
    ...(title === undefined ? [] : ['--testNamePattern', title]),
    ...(watch ? ['--watchAll'] : []),
    ...(updateSnapshots ? ['--updateSnapshot'] : []),
    ...testPathPatterns(repository, selected, project, existsSync),
  ];
}

async function runJest(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = join(repository, 'node_modules/jest/bin/jest.js');
  const child = spawn(process.execPath, [...flags, jest, ...args], {
    cwd: repository,
    stdio: 'inherit',
    env: { ...process.env, ...environment },
    // A group of its own, for its workers do not end by themselves. In a terminal it stays in ours, to be asked by --watch.
    detached: !process.stdin.isTTY,
  });
  stopping.signal.addEventListener('abort', () => {
    if (process.stdin.isTTY || child.pid === undefined) child.kill('SIGTERM');
    else process.kill(-child.pid, 'SIGTERM');
  });
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
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
