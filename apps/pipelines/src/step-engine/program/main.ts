/**
 * The program that does steps: a process that is told jobs over its channel, one after the other and all of one organisation. It
 * reaches no network and no database. Each job has an engine that has done nothing before, or nothing but jobs of the same chain, and
 * a folder in which there is nothing but its inputs.
 */
import type { StepInput } from '../domain/step-job.ts';
import type { StepCommand } from '../domain/step-messages.ts';
import { listen, say } from './channel.ts';
import { collectGarbage, emptyWorkFolder } from './forget-job.ts';
import { cleanedEngine, engineFor, newEngine, prepareEngine, type JobEngine } from './job-engine.ts';
import { runJob } from './run-job.ts';

/** What a process may hold of jobs that are over, above what it has held at its start; then it ends, and is not asked again. */
const MAX_KEPT_BYTES = 64 * 2 ** 20;

type Work = Extract<StepCommand, { readonly asks: boolean }>;

void newEngine().then((opened) => {
  const bytesAtStart = process.memoryUsage.rss();
  let present: JobEngine | undefined = opened;
  let found = Promise.withResolvers<readonly StepInput[]>();
  let workedIn = '';
  let holdsResult = false;

  async function work(before: JobEngine, { job, number, folder, asks }: Work): Promise<void> {
    workedIn = folder;
    present = undefined;
    const engine = (present = await engineFor(before, job, number));
    const { connection } = engine.engine;
    if (asks) say({ tables: connection.getTableNames(job.query, false) });
    const told = { ...job, inputs: asks ? await found.promise : job.inputs };
    const report = await runJob(connection, told, {
      folder,
      prepare: () => prepareEngine(engine, told, number, folder),
      log: (log) => say({ log }),
    });
    holdsResult = report.isCut;
    say({ report });
  }

  async function reset(): Promise<void> {
    const before = present;
    present = undefined;
    found = Promise.withResolvers<readonly StepInput[]>();
    const kept = before && (await cleanedEngine(before, workedIn, holdsResult));
    // With a result that was read to its end the engine is gone already.
    if (holdsResult) await collectGarbage();
    emptyWorkFolder(workedIn);
    if (process.memoryUsage.rss() > bytesAtStart + MAX_KEPT_BYTES) process.kill(process.pid, 'SIGKILL');
    present = kept ?? (await newEngine());
    say('ready');
  }

  listen((command) => {
    if (command === 'reset') void reset();
    else if (command === 'cancel') present?.engine.connection.interrupt();
    else if ('inputs' in command) found.resolve(command.inputs);
    else if (present) void work(present, command);
  });
  say('ready');
});
