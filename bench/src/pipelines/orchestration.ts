/** Runs of three steps that do nothing, orchestrated by a process that does nothing else, on servers of their own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startCluster } from '../cluster.ts';
import { familyCpu, processCpu } from '../process-cpu.ts';
import { durablePostgres } from './durable-postgres.ts';
import type { OrchestratorOptions, OrchestratorOutcome, OrchestratorTask } from './orchestrator.ts';
import type { Runner } from './run-load.ts';

/** With `profiles`, the folder in which the process leaves a CPU profile. */
export async function startOrchestration(profiles: string | undefined): Promise<Runner> {
  const cluster = await startCluster({ services: [], profiles });
  const { nats, profiling } = cluster;
  const database = await durablePostgres(cluster.directory);
  cluster.atStop(() => database.stop());
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
      await cluster.stop();
    },
  };
}
