/** Runs of three steps that do nothing, orchestrated by a process that does nothing else, on servers of their own. */
import { setUpStreams } from '@platform-backend/events/set-up';
import { throwawayNats } from '@platform-backend/testing';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { familyCpu, processCpu } from '../process-cpu.ts';
import { benchDirectory } from './bench-directory.ts';
import { durablePostgres } from './durable-postgres.ts';
import type { OrchestratorOptions, OrchestratorOutcome, OrchestratorTask } from './orchestrator.ts';
import type { Runner } from './run-load.ts';

/** `main` is that of the pipelines service; with `profiles`, the folder in which the process leaves a CPU profile. */
export async function startOrchestration(main: string, profiling: readonly string[]): Promise<Runner> {
  const directory = benchDirectory();
  const database = await durablePostgres(directory.path, main);
  const nats = await throwawayNats();
  await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(20_000) });
  const child = fork(join(import.meta.dirname, 'orchestrator.ts'), { execArgv: [...profiling] });
  const { url: databaseUrl, adminUrl, postmaster } = database;
  child.send({ databaseUrl, adminUrl, natsUrl: nats.url } satisfies OrchestratorOptions);

  async function ask<Outcome extends OrchestratorOutcome>(task: OrchestratorTask): Promise<Outcome> {
    child.send(task);
    const [outcome] = (await once(child, 'message')) as [OrchestratorOutcome];
    if ('failure' in outcome) throw new Error(`orchestration: ${outcome.failure}`);
    return outcome as Outcome;
  }

  return {
    runs: (load) => ask({ kind: 'runs', ...load }),
    times: (runs) => ask({ kind: 'times', runs }),
    cpu: () => ({
      service: processCpu(child.pid ?? 0),
      postgres: familyCpu(postmaster),
      nats: processCpu(nats.pid()),
    }),
    async stop() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
      await nats.drop();
      await database.stop();
      directory.remove();
    },
  };
}
