import type { Logger } from '@platform-backend/core';
import type { RunEngine, RunOfOrganisation } from '../domain/run-engine.ts';

/** Every run by the engine that it was given to, whichever gets those that are started now. */
export function enginesByRun(
  engines: readonly RunEngine[],
  logger: Pick<Logger, 'warn'>,
): Pick<RunEngine, 'submit' | 'isBusy' | 'cancel'> {
  const byName = new Map(engines.map((engine) => [engine.name, engine]));

  function engineOf({ run }: RunOfOrganisation): RunEngine | undefined {
    const engine = byName.get(run.engine);
    if (!engine) {
      const { id: runId, engine: name } = run;
      logger.warn(
        { event: 'run.engine_missing', runId, engine: name },
        'the engine of a run is not here: set PIPELINES_ENGINE as it was, or cancel the run',
      );
    }
    return engine;
  }

  return {
    async submit(runs) {
      const byEngine = Map.groupBy(runs, engineOf);
      await Promise.all([...byEngine].map(async ([engine, own]) => engine?.submit(own)));
    },
    isBusy: async () => (await Promise.all(engines.map((engine) => engine.isBusy()))).includes(true),
    cancel: async (run) => engineOf(run)?.cancel(run),
  };
}
