/**
 * The program that does one step: a process that is told its job over its channel. It reaches no network and no database, and
 * does one job in its life.
 */
import type { StepInput, StepJob } from '../domain/step-job.ts';
import type { StepCommand } from '../domain/step-messages.ts';
import { listen, say } from './channel.ts';
import { openDuckDb } from './duckdb.ts';
import { runJob } from './run-job.ts';

void openDuckDb().then((connection) => {
  const found = Promise.withResolvers<readonly StepInput[]>();
  async function work({ job, folder, asks }: Extract<StepCommand, { readonly job: StepJob }>): Promise<void> {
    if (asks) say({ tables: connection.getTableNames(job.query, false) });
    const inputs = asks ? await found.promise : job.inputs;
    say({ report: await runJob(connection, { ...job, inputs }, folder, (log) => say({ log })) });
  }
  listen((command) => {
    if (command === 'cancel') connection.interrupt();
    else if ('inputs' in command) found.resolve(command.inputs);
    else void work(command);
  });
  say('ready');
});
