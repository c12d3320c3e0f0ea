import type { ActorContext } from '@platform-backend/core';
import type { Database, Knex } from '@platform-backend/postgres';
import type { OnDue } from '../../schedules/store/schedules-store.ts';
import type { RunRequest, RunRequests } from '../domain/run-requests.ts';
import type { RunTrigger } from '../domain/run.ts';

interface RequestRow {
  id: string;
  organisation_id: string;
  pipeline_id: string;
  trigger: RunTrigger;
  requested_at: Date;
  look_at: Date;
}

/** Notes down that a pipeline shall run, in the transaction of what leads to it. */
async function requestRun(
  trx: Knex.Transaction,
  by: ActorContext,
  wanted: Omit<RunRequest, 'organisationId'>,
  at: Date,
) {
  await trx<RequestRow>('run_requests')
    .insert({
      id: wanted.id,
      organisation_id: by.organisationId,
      pipeline_id: wanted.pipelineId,
      trigger: wanted.trigger,
      requested_at: at,
      look_at: at,
    })
    .onConflict()
    .ignore();
}

/** A pipeline that is due runs under an id of its own. */
export const onPipelineDue =
  (newId: () => string): OnDue =>
  (trx, by, { ownerId, dueAt }) =>
    requestRun(trx, by, { id: newId(), pipelineId: ownerId, trigger: 'SCHEDULE' }, dueAt);

/** Has those pipelines run that read a dataset and want to with new data of it, but not the one that has made it. */
export async function requestRunsOnNewData(
  trx: Knex.Transaction,
  by: ActorContext,
  dataset: { readonly id: string; readonly name: string; readonly madeByRun: string | null },
  wanted: { readonly newId: (pipelineId: string) => string; readonly at: Date },
): Promise<void> {
  const references = [dataset.id, dataset.name.toLowerCase()];
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `SELECT pipelines.id FROM pipelines JOIN pipeline_versions ON pipeline_versions.id = pipelines.current_version_id
     WHERE pipelines.organisation_id = ? AND runs_on_new_data AND NOT archived
       AND EXISTS (SELECT FROM jsonb_array_elements(steps) AS step, jsonb_array_elements_text(step -> 'config' -> 'inputDatasets') AS input
                   WHERE lower(input) = ANY (?::text[]))
       AND NOT EXISTS (SELECT FROM jsonb_array_elements(steps) AS step, jsonb_array_elements_text(step -> 'config' -> 'outputDatasets') AS output
                       WHERE lower(output) = ANY (?::text[]))
       AND pipelines.id IS DISTINCT FROM (SELECT pipeline_id FROM runs WHERE id = ?::uuid)
     LIMIT 1000`,
    [by.organisationId, references, references, dataset.madeByRun],
  );
  for (const { id } of rows) {
    await requestRun(trx, by, { id: wanted.newId(id), pipelineId: id, trigger: 'EVENT' }, wanted.at);
  }
}

/** Requests for runs in PostgreSQL. */
export const runRequestsStore = (database: Database): RunRequests => ({
  async take(at, lookAgainAt, limit) {
    const due = await database.system({ 'app.sweep': 'run_requests' }, (trx) =>
      trx<RequestRow>('run_requests').where('look_at', '<=', at).orderBy('look_at').limit(limit).select(),
    );
    const taken = await Promise.all(
      due.map((row) =>
        database.tenant(row.organisation_id, async (trx) => {
          const own = await trx<RequestRow>('run_requests')
            .where({ organisation_id: row.organisation_id, id: row.id, look_at: row.look_at })
            .update({ look_at: lookAgainAt });
          return own === 1 ? [requestOf(row)] : [];
        }),
      ),
    );
    return taken.flat();
  },

  done: ({ organisationId, id }) =>
    database.tenant(organisationId, async (trx) => {
      await trx<RequestRow>('run_requests').where({ organisation_id: organisationId, id }).delete();
    }),
});

const requestOf = ({
  id,
  organisation_id: organisationId,
  pipeline_id: pipelineId,
  trigger,
}: RequestRow): RunRequest => ({
  ...{ id, organisationId, pipelineId, trigger },
});
