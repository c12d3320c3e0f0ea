/** `npm run -s debits`: work that has no debit, and debits that have no work. */
import { command, runCommand, WrongUsage } from '@platform-backend/command-line';

/** As long as what has been done most lately may take to be booked. */
const UNDER_WAY_MS = 60_000;
const WEEK_MS = 7 * 86_400_000;

const time = { type: 'string' } as const;

function timeOf(option: string, text: string | undefined, usual: number): Date {
  const given = new Date(text ?? usual);
  if (Number.isNaN(given.getTime())) throw new WrongUsage(`--${option} is a time, not "${String(text)}".`);
  return given;
}

const bigintAsText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

await runCommand(
  command({
    name: 'npm run debits --',
    usage: `npm run -s debits -- [--organisation ID] [--since TIME] [--until TIME]

Lists every piece of work that has cost something and was not booked, and every debit whose work is not kept: of the platform
that npm start runs on PLATFORM_HOME (.platform unless given), or of another one, with the environments of its services. Answers
are lines of JSON, the last one with the sums. What was deleted since is found as a debit without work.
  --organisation   only of this one; may be given several times
  --since          when the work ended (2026-01-31T00:00:00Z); a week ago unless given
  --until          before this; a minute ago unless given, as what has just been done may still be on its way`,
    options: { organisation: { type: 'string', multiple: true, default: [] }, since: time, until: time },
    async run({ values: { organisation: organisations, ...times } }) {
      const now = Date.now();
      const from = timeOf('since', times.since, now - WEEK_MS);
      const until = timeOf('until', times.until, now - UNDER_WAY_MS);
      const { compareDebits, NotRunning } = await import('./compare-debits.ts');
      try {
        const sums = await compareDebits({ env: process.env, organisations, from, until }, (line) =>
          process.stdout.write(`${JSON.stringify(line, bigintAsText)}\n`),
        );
        process.stdout.write(`${JSON.stringify(sums)}\n`);
      } catch (error) {
        if (!(error instanceof NotRunning)) throw error;
        console.error(error.message);
        process.exitCode = 1;
      }
    },
  }),
);
