import { advisoryLock, runPrepared, type Knex } from '@platform-backend/postgres';
import { admitted, type WaitingRun } from '../domain/admission.ts';
import { isOver, type Run } from '../domain/run.ts';
import { runColumns } from './run-rows.ts';

interface CandidateRow {
  readonly id: string;
  readonly pipeline_id: string;
  readonly created_at: Date;
  readonly going_on: boolean;
  readonly max_concurrent_runs: number;
  readonly is_child: boolean;
}

/**
 * Which of an organisation's waiting runs are admitted, by their ids. `own` are runs as this transaction is about to leave
 * them, whatever their rows say. One transaction at a time does so for an organisation.
 */
export async function chooseAdmitted(
  trx: Knex.Transaction,
  organisationId: string,
  maxOfOrganisation: number,
  own: readonly Run[],
): Promise<Set<string>> {
  await advisoryLock(trx, `runs of ${organisationId}`);
  const ownRows = own
    .filter((run) => !isOver(run))
    .map(({ id, pipelineId, createdAt, admittedAt, parent }) => ({
      ...{ id, pipeline_id: pipelineId, created_at: createdAt, admitted_at: admittedAt },
      parent_run_id: parent?.runId ?? null,
    }));
  const ids = own.map(({ id }) => id);
  const rows = await runPrepared<CandidateRow>(trx, candidates, [
    ...[
      JSON.stringify(ownRows),
      organisationId,
      ids,
      organisationId,
      organisationId,
      organisationId,
      ids,
      organisationId,
      maxOfOrganisation,
      organisationId,
    ],
    ...[organisationId, ids],
  ]);
  rows.sort((a, b) => a.created_at.getTime() - b.created_at.getTime() || (a.id < b.id ? -1 : 1));
  const goingOn = new Map<string, number>();
  const waiting: WaitingRun[] = [];
  let children = 0;
  for (const row of rows) {
    const { id, pipeline_id: pipelineId, max_concurrent_runs: maxOfPipeline, is_child: isChild } = row;
    if (!row.going_on) waiting.push({ id, pipelineId, maxOfPipeline, isChild });
    else {
      goingOn.set(pipelineId, (goingOn.get(pipelineId) ?? 0) + 1);
      if (isChild) children += 1;
    }
  }
  return new Set(admitted(waiting, goingOn, maxOfOrganisation, children));
}

/**
 * Those that go on, which are few, and of each pipeline only as many that wait as it could have go on: one look into the index
 * by pipeline finds the next of them, and likewise of those that other runs wait for. However many wait, no more are read, and none while there is
 * no room but such.
 */
const COLUMNS = 'runs.id, runs.pipeline_id, runs.created_at, runs.admitted_at, runs.parent_run_id';
const WAITING = 'admitted_at IS NULL AND finished_at IS NULL';
const candidates = {
  name: 'candidates-and-children-by-pipeline',
  text: `WITH RECURSIVE own AS (
       SELECT ${COLUMNS} FROM jsonb_populate_recordset(NULL::runs, ?::jsonb) AS runs
     ), going_on AS (
       SELECT ${COLUMNS} FROM runs
       WHERE organisation_id = ? AND admitted_at IS NOT NULL AND finished_at IS NULL AND id <> ALL (?::uuid[])
     ), pipelines_of_children AS (
       (SELECT pipeline_id FROM runs WHERE organisation_id = ? AND ${WAITING} AND parent_run_id IS NOT NULL
        ORDER BY pipeline_id LIMIT 1)
       UNION ALL
       SELECT next.pipeline_id FROM pipelines_of_children, LATERAL (
         SELECT pipeline_id FROM runs
         WHERE organisation_id = ? AND ${WAITING} AND parent_run_id IS NOT NULL
           AND pipeline_id > pipelines_of_children.pipeline_id
         ORDER BY pipeline_id LIMIT 1
       ) AS next
     ), children AS (
       SELECT waiting.* FROM pipelines_of_children JOIN pipelines ON pipelines.id = pipeline_id, LATERAL (
         SELECT ${COLUMNS} FROM runs
         WHERE organisation_id = ? AND runs.pipeline_id = pipelines.id AND ${WAITING} AND parent_run_id IS NOT NULL
           AND id <> ALL (?::uuid[])
         ORDER BY created_at, id LIMIT max_concurrent_runs
       ) AS waiting
     ), waiting_pipelines AS (
       (SELECT pipeline_id FROM runs
        WHERE organisation_id = ? AND ${WAITING}
          AND (SELECT count(*) FROM going_on WHERE parent_run_id IS NULL)
            + (SELECT count(*) FROM own WHERE admitted_at IS NOT NULL AND parent_run_id IS NULL) < ?
        ORDER BY pipeline_id LIMIT 1)
       UNION ALL
       SELECT next.pipeline_id FROM waiting_pipelines, LATERAL (
         SELECT pipeline_id FROM runs
         WHERE organisation_id = ? AND ${WAITING} AND pipeline_id > waiting_pipelines.pipeline_id
         ORDER BY pipeline_id LIMIT 1
       ) AS next
     ), candidates AS (
       SELECT * FROM own UNION ALL SELECT * FROM going_on UNION ALL SELECT * FROM children UNION ALL
       SELECT waiting.* FROM waiting_pipelines JOIN pipelines ON pipelines.id = pipeline_id, LATERAL (
         SELECT ${COLUMNS} FROM runs
         WHERE organisation_id = ? AND runs.pipeline_id = pipelines.id AND ${WAITING} AND parent_run_id IS NULL
           AND id <> ALL (?::uuid[])
         ORDER BY created_at, id LIMIT max_concurrent_runs
       ) AS waiting
     )
     SELECT candidates.id, pipeline_id, candidates.created_at, admitted_at IS NOT NULL AS going_on, max_concurrent_runs,
            parent_run_id IS NOT NULL AS is_child
     FROM candidates JOIN pipelines ON pipelines.id = pipeline_id`,
};

/**
 * Admits these runs. Whoever changes a waiting run just now is not waited for, and looks afterwards for what can be
 * admitted if that frees something.
 */
export async function admitRuns(
  trx: Knex.Transaction,
  organisationId: string,
  chosen: ReadonlySet<string>,
  at: Date,
): Promise<readonly Run[]> {
  if (chosen.size === 0) return [];
  const { rows } = await trx.raw<{ rows: object[] }>(
    `UPDATE runs SET admitted_at = ?, ready_since = ?, changes = changes + 1 WHERE id IN (
       SELECT id FROM runs WHERE organisation_id = ? AND id = ANY (?::uuid[]) AND admitted_at IS NULL AND finished_at IS NULL
       FOR NO KEY UPDATE SKIP LOCKED
     ) RETURNING ${runColumns.names.join(', ')}`,
    [at, at, organisationId, [...chosen]],
  );
  return rows.map((row) => runColumns.read(row));
}
