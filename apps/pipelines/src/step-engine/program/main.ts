/**
 * The program that does steps: a process that is told jobs over its channel, one after the other and all of one organisation. It
 * reaches no network and no database. Each job has an engine that has done nothing before, and a folder in which there is nothing
 * but its inputs.
 */
import type { StepInput } from '../domain/step-job.ts';
import type { StepCommand } from '../domain/step-messages.ts';
import { listen, say } from './channel.ts';
import { openDuckDb, type Engine } from './duckdb.ts';
import { collectGarbage, emptyWorkFolder } from './forget-job.ts';
import { runJob } from './run-job.ts';

/** What a process may hold of jobs that are over, above what it has held at its start; then it ends, and is not asked again. */
const MAX_KEPT_BYTES = 64 * 2 ** 20;

type Work = Extract<StepCommand, { readonly asks: boolean }>;

void openDuckDb().then((opened) => {
  const bytesAtStart = process.memoryUsage.rss();
  let engine: Engine | undefined = opened;
  let found = Promise.withResolvers<readonly StepInput[]>();
  let workedIn = '';
  let holdsResult = false;

  async function work({ connection }: Engine, { job, folder, asks }: Work): Promise<void> {
    workedIn = folder;
    if (asks) say({ tables: connection.getTableNames(job.query, false) });
    const inputs = asks ? await found.promise : job.inputs;
    const report = await runJob(connection, { ...job, inputs }, folder, (log) => say({ log }));
    holdsResult = report.isCut;
    say({ report });
  }

  async function reset(): Promise<void> {
    engine?.close();
    engine = undefined;
    found = Promise.withResolvers<readonly StepInput[]>();
    // With a result that was read to its end the engine is gone already.
    if (holdsResult) await collectGarbage();
    emptyWorkFolder(workedIn);
    if (process.memoryUsage.rss() > bytesAtStart + MAX_KEPT_BYTES) process.kill(process.pid, 'SIGKILL');
    engine = await openDuckDb();
    say('ready');
  }

  listen((command) => {
    if (command === 'reset') void reset();
    else if (command === 'cancel') engine?.connection.interrupt();
    else if ('inputs' in command) found.resolve(command.inputs);
    else if (engine) void work(engine, command);
  });
  say('ready');
});
