import type { Area } from '@platform-backend/service';
import type { CreditsExports } from '../credits/area.ts';
import type { PipelinesExports } from '../pipelines/area.ts';
import type { RunsExports } from '../runs/area.ts';
import type { Run } from '../runs/domain/run.ts';
import type { PipelinesContext, service } from '../service.ts';
import { backfillHandlers } from './api/backfill-handlers.ts';
import { backfillUseCases } from './app/backfills.ts';
import { backfillsStore } from './store/backfills-store.ts';

const HOUR_MS = 60 * 60_000;

/** Backfills: runs of one pipeline over many values of one of its parameters, a few of them at a time. */
export const backfillsArea = (
  { settings, storage: { database }, clock, logger }: PipelinesContext,
  {
    credits: { withCreditsFor },
    pipelines: { pipelines, findVersion },
    runs: { startRun, cancelRun },
  }: { readonly credits: CreditsExports; readonly pipelines: PipelinesExports; readonly runs: RunsExports },
) => {
  const app = backfillUseCases({
    ...{ backfills: backfillsStore(database), pipelines, findVersion, cancelRun, clock, logger },
    // Of what its runs cost: nothing is set aside for them before they begin.
    withCredits: withCreditsFor('pipeline_run'),
    startRun: (payer, wanted) => startRun(payer, { ...wanted, trigger: 'BACKFILL' }),
  });
  return {
    handlers: { BackfillService: backfillHandlers(app) },
    jobs: [
      {
        name: 'the sweep of backfills',
        // A backfill has its first run within that time.
        everyMs: settings.PIPELINES_SCHEDULE_SECONDS * 1000,
        run: () => app.sweep(),
        untilDueMs: async (): Promise<number | undefined> => ((await app.hasOpen()) ? 0 : undefined),
      },
      {
        name: 'the removal of old backfills',
        everyMs: HOUR_MS,
        run: (stopping) => app.removeOld(settings.PIPELINES_RUN_RETENTION_DAYS, stopping),
      },
    ],
    exports: { onRunsEnded: (organisationId: string, ended: readonly Run[]) => app.ended(organisationId, ended) },
  } satisfies Area<typeof service.declaration>;
};
