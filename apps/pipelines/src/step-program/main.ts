/**
 * The program that does one step: `node main.ts JOBFILE REPORTFILE`, with the inputs beside the job file, or as a child
 * process that is told its job over IPC. It reaches no network and no database, and does one job in its life.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StepInput, StepJob, StepReport } from '../domain/steps/step-job.ts';
import type { StepCommand, StepMessage } from '../domain/steps/step-messages.ts';
import { startEngine } from './engine.ts';
import { runJob } from './run-job.ts';

const [jobFile, reportFile] = process.argv.slice(2);
// Whoever waits for a report is gone.
process.on('disconnect', () => process.exit());
const engine = await startEngine();

if (jobFile !== undefined && reportFile !== undefined) {
  const job = JSON.parse(await readFile(jobFile, 'utf8')) as StepJob;
  const log = (line: string) => process.stdout.write(`${line}\n`);
  process.once('SIGTERM', () => engine.interrupt());
  const tooLong = setTimeout(() => engine.interrupt(), job.limits.seconds * 1000);
  const report = await runJob(engine, job, dirname(jobFile), log);
  clearTimeout(tooLong);
  await writeFile(reportFile, JSON.stringify(report));
  if (report.message !== '') log(report.message);
  process.exitCode = report.outcome === 'SUCCEEDED' ? 0 : 1;
} else {
  const found = Promise.withResolvers<readonly StepInput[]>();
  process.on('message', (command: StepCommand) => {
    if (command === 'cancel') engine.interrupt();
    else if ('inputs' in command) found.resolve(command.inputs);
    else void work(command, found.promise).then((report) => say({ report }));
  });
  say('ready');
}

async function work(
  { job, folder, asks }: Extract<StepCommand, { readonly job: StepJob }>,
  found: Promise<readonly StepInput[]>,
): Promise<StepReport> {
  if (asks) say({ tables: engine.getTableNames(job.query, false) });
  return runJob(engine, asks ? { ...job, inputs: await found } : job, folder, (log) => say({ log }));
}

function say(message: StepMessage): void {
  process.send?.(message);
}
