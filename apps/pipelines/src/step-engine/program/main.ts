/**
 * The program that does one step: `node main.ts JOBFILE REPORTFILE`, with the inputs beside the job file, or as a process
 * that is told its job over its channel. It reaches no network and no database, and does one job in its life.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StepInput, StepJob } from '../domain/step-job.ts';
import type { StepCommand } from '../domain/step-messages.ts';
import { listen, say } from './channel.ts';
import { startEngine, type Engine } from './engine.ts';
import { runJob } from './run-job.ts';

const [jobFile, reportFile] = process.argv.slice(2);

void startEngine().then((engine) =>
  jobFile !== undefined && reportFile !== undefined ? workFromFile(engine, jobFile, reportFile) : workAsTold(engine),
);

async function workFromFile(engine: Engine, from: string, to: string): Promise<void> {
  const job = JSON.parse(readFileSync(from, 'utf8')) as StepJob;
  const log = (line: string) => process.stdout.write(`${line}\n`);
  process.once('SIGTERM', () => engine.interrupt());
  const tooLong = setTimeout(() => engine.interrupt(), job.limits.seconds * 1000);
  const report = await runJob(engine, job, dirname(from), log);
  clearTimeout(tooLong);
  writeFileSync(to, JSON.stringify(report));
  if (report.message !== '') log(report.message);
  process.exitCode = report.outcome === 'SUCCEEDED' ? 0 : 1;
}

function workAsTold(engine: Engine): void {
  const found = Promise.withResolvers<readonly StepInput[]>();
  async function work({ job, folder, asks }: Extract<StepCommand, { readonly job: StepJob }>): Promise<void> {
    if (asks) say({ tables: engine.getTableNames(job.query, false) });
    const inputs = asks ? await found.promise : job.inputs;
    say({ report: await runJob(engine, { ...job, inputs }, folder, (log) => say({ log })) });
  }
  listen((command) => {
    if (command === 'cancel') engine.interrupt();
    else if ('inputs' in command) found.resolve(command.inputs);
    else void work(command);
  });
  say('ready');
}
