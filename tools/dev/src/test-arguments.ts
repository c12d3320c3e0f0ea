import { parseArgs, type ParseArgsConfig } from 'node:util';

/** What `npm test` was asked for. */
export interface TestArguments {
  readonly help: boolean;
  /** Folders, files and parts of their names; nothing means all of them, and every other check too. */
  readonly selected: readonly string[];
  /** The folder of a project: what is selected is meant within it. */
  readonly project: string | undefined;
  /** Only tests whose full title matches this regular expression. */
  readonly title: string | undefined;
  /** Again with every change. */
  readonly watch: boolean;
  /** With the promised numbers: everywhere, or where something changed. */
  readonly long: 'all' | 'affected' | 'none';
  /** Only in projects that a change since `base` can have touched. */
  readonly affected: boolean;
  readonly base: string;
  /** A few files that fail are run once more, by themselves, and named when they pass then. */
  readonly repeatFailed: boolean;
  readonly updateSnapshots: boolean;
  readonly workers: number | undefined;
}

export const TEST_USAGE = `Usage: npm test [-- [options] [FOLDER | FILE | PART-OF-A-NAME]...]

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
      --workers N       how many files at once; one more than there are cores
  -h, --help`;

const options = {
  help: { type: 'boolean', short: 'h', default: false },
  title: { type: 'string', short: 't' },
  in: { type: 'string' },
  watch: { type: 'boolean', default: false },
  long: { type: 'boolean', default: false },
  'long-affected': { type: 'boolean', default: false },
  affected: { type: 'boolean', default: false },
  base: { type: 'string' },
  'repeat-failed': { type: 'boolean', default: false },
  update: { type: 'boolean', short: 'u', default: false },
  workers: { type: 'string' },
} as const satisfies ParseArgsConfig['options'];

/** @throws Error with one sentence. */
export function readTestArguments(args: readonly string[], env: NodeJS.ProcessEnv): TestArguments {
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const workers = values.workers === undefined ? undefined : Number(values.workers);
  if (workers !== undefined && !(Number.isInteger(workers) && workers > 0))
    throw new Error(`--workers takes a number from 1, not "${String(values.workers)}"`);
  return {
    help: values.help,
    selected: positionals,
    project: values.in,
    title: values.title,
    watch: values.watch,
    long: values.long ? 'all' : values['long-affected'] ? 'affected' : 'none',
    affected: values.affected,
    base: values.base ?? env['NX_BASE'] ?? 'main',
    repeatFailed: values['repeat-failed'],
    updateSnapshots: values.update,
    workers,
  };
}
