/** `npm test`: every check there is, or some of the tests. */
import { command, runCommand, WrongUsage } from '@platform-backend/command-line';
import { existsSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { whenStarterEnds } from '../ancestry.mjs';
import { sumOf, totalsLine } from '../jest/report-lines.mjs';
import { affectedProjects } from './affected-projects.ts';
import { runJest } from './run-jest.ts';
import { repository } from './settings.ts';
import { runStaticChecks } from './static-checks.ts';
import { makeTestDirectory } from './test-directory.ts';
import { testPathPatterns } from './test-selection.ts';
import { filesToRepeat, withRepeated } from './test-totals.ts';

const stopping = new AbortController();
const { signal } = stopping;
const isStopping = (): boolean => signal.aborted;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort());
whenStarterEnds(() => stopping.abort());

/** Beyond it a worker ends behind its file, and another one goes on. */
const WORKER_MEMORY = '800MB';

await runCommand(
  command({
    name: 'npm test --',
    usage: `npm test [-- [options] [FOLDER | FILE | PART-OF-A-NAME]...]

Every check there is: format, types, lint, boundaries, protos and all tests. With a folder, a file or a part of its name only
the tests there:

  npm test -- apps/identity
  npm test -- libs/core/src/logger.test.ts -t "never throws"
  npm test -- --watch apps/billing/src/domain

Options
  -t, --title TEXT      only tests whose title matches
      --in FOLDER       only in this project, as nx run PROJECT:test
      --watch           again with every change
      --long            with the promised numbers, as npm run test:long
      --long-affected   with the promised numbers where a change since the base can have touched something
      --affected        only in projects that a change since the base can have touched
      --base REF        what changes are compared with; main, or NX_BASE
      --repeat-failed   runs a few files that fail once more, by themselves, and names those that pass then
  -u, --update          writes snapshots anew
      --workers N       how many files at once; two more than there are cores
  -h, --help`,
    options: {
      title: { type: 'string', short: 't' },
      in: { type: 'string' },
      watch: { type: 'boolean', default: false },
      long: { type: 'boolean', default: false },
      'long-affected': { type: 'boolean', default: false },
      affected: { type: 'boolean', default: false },
      base: { type: 'string', default: process.env['NX_BASE'] ?? 'main' },
      'repeat-failed': { type: 'boolean', default: false },
      update: { type: 'boolean', short: 'u', default: false },
      // Tests wait for servers and processes much of the time.
      workers: { type: 'string', default: String(availableParallelism() + 2) },
    },
    words: true,
    async run({ values, positionals }) {
      const { title, in: project, watch, long, affected, base, update, workers } = values;
      if (!/^[1-9]\d{0,8}$/.test(workers))
        throw new WrongUsage(`--workers must be a whole number above 0, not "${workers}".`);
      const touched = affected || values['long-affected'] ? await affectedProjects(repository, base) : [];
      if (affected && touched.length === 0) {
        console.log(`Nothing changed since ${base}.`);
        return;
      }
      const isWhole = positionals.length === 0 && project === undefined && title === undefined && !watch;
      const failed = isWhole ? await runStaticChecks(repository, signal) : [];
      if (isStopping()) process.exit(1);

      const directory = makeTestDirectory();
      const jest = (workersOfRun: string, selected: readonly string[]) =>
        runJest({
          directory,
          signal,
          long: long ? 'all' : values['long-affected'] ? touched.join(',') : '',
          args: [
            `--maxWorkers=${workersOfRun}`,
            // What the files of a worker leave behind goes with it.
            ...(isWhole ? [`--workerIdleMemoryLimit=${WORKER_MEMORY}`] : []),
            ...(title === undefined ? [] : ['--testNamePattern', title]),
            ...(watch ? ['--watchAll'] : []),
            ...(update ? ['--updateSnapshot'] : []),
            ...testPathPatterns(repository, selected, project, existsSync),
          ],
        });
      try {
        let { code, files } = await jest(workers, affected ? [...touched, ...positionals] : positionals);
        const again = values['repeat-failed'] && code !== 0 && !isStopping() ? filesToRepeat(files) : [];
        if (again.length > 0) {
          console.log(`\nOnce more, by themselves, the files that failed:\n${again.join('\n')}\n`);
          const repeated = await jest('1', again);
          ({ code } = repeated);
          files = withRepeated(files, repeated.files);
          if (code === 0) console.log(`\nPassed only when they were run once more:\n${again.join('\n')}`);
        }
        if (code !== 0) failed.push('tests');
        if (isWhole) console.log(failed.length === 0 ? 'Every check passed.' : `Not passed: ${failed.join('; ')}.`);
        // Alone on the last line, for people and machines.
        if (files.length > 0) console.log(totalsLine(sumOf(files)));
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
      process.exit(failed.length === 0 ? 0 : 1);
    },
  }),
);
