import type { Database } from '@platform-backend/postgres';
import { owedMicros } from '../domain/run.ts';
import { runColumns } from './run-rows.ts';

/** Runs of an organisation that are over since then and cost something. */
export const pricedWork = (
  database: Database,
  organisationId: string,
  since: Date,
  { PIPELINES_MICROS_PER_STEP_SECOND: microsPerSecond }: { readonly PIPELINES_MICROS_PER_STEP_SECOND: number },
) =>
  database.tenant(organisationId, async (trx) => {
    const rows = await trx('runs')
      .where({ organisation_id: organisationId })
      .where('finished_at', '>=', since)
      .select<object[]>(runColumns.names);
    return rows.map(runColumns.read).flatMap((run) =>
      run.finishedAt && owedMicros(run, BigInt(microsPerSecond)) > 0n
        ? // By the price of that time, which nobody has kept.
          [{ purpose: 'pipeline_run', workId: run.id, at: run.finishedAt, debits: 1, micros: null }]
        : [],
    );
  });
