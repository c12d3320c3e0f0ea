import { unchanged, type ActorContext } from '@platform-backend/core';
import { listPage, type Knex } from '@platform-backend/postgres';
import type { RunOutput as DatasetOutput } from '../../datasets/domain/datasets.ts';
import { datasetNotFound } from '../../datasets/domain/errors.ts';
import { notificationsOf } from '../../notifications/store/notifications-store.ts';
import { pipelineNotFound } from '../../pipelines/domain/errors.ts';
import { versionColumns } from '../../pipelines/store/pipelines-store.ts';
import { toldWebhooks } from '../../webhooks/store/webhook-deliveries-store.ts';
import { beginStep, finishStep, isPresent, type StepEnd } from '../domain/change-run.ts';
import { pipelineRunNotFound } from '../domain/errors.ts';
import type { ReportedEnd, StepAttempt } from '../domain/run-engine.ts';
import { dueSteps, FINAL, type Run, type RunOutput } from '../domain/run.ts';
import type { RunFilter, Runs, WholeRun } from '../domain/runs.ts';
import { runChanges, type RunChangesOptions } from './run-changes.ts';
import { appendLog, listLog, logAfter } from './run-log-rows.ts';
import { runColumns } from './run-rows.ts';

/** What a step has made, as versions of datasets that are there; part of the transaction that ends the step. */
export type RecordOutputs = (
  trx: Knex.Transaction,
  by: ActorContext,
  outputs: readonly DatasetOutput[],
  at: Date,
) => Promise<readonly RunOutput[] | 'outdated'>;

export interface RunsStoreOptions extends RunChangesOptions {
  readonly recordOutputs: RecordOutputs;
}

/** Runs in PostgreSQL. */
export function runsStore(options: RunsStoreOptions): Runs {
  const { database, recordOutputs } = options;
  const changes = runChanges(options);

  return {
    async add(by, decision) {
      const decide = (present: Run | undefined) => Promise.resolve(present ? unchanged(present) : decision);
      return (await changes.change({ by, runId: decision.state.id, decide })).run;
    },

    async change(by, runId, decide) {
      return (await changes.change({ by, runId, decide: (run) => Promise.resolve(decide(known(run))) })).result;
    },

    async finishStep(by, { at, end, when }, then) {
      const finish = async (present: Run | undefined, trx: Knex.Transaction) => {
        const run = known(present);
        const ended = await withOutputs(run, at, end, (outputs) => recordOutputs(trx, by, outputs, when));
        const finished = finishStep(run, { ...at, end: ended, at: when });
        const next = then(finished.state);
        return { ...next, events: [...finished.events, ...next.events] };
      };
      return (await changes.change({ by, runId: at.runId, decide: finish })).result;
    },

    async skipStep(by, { at, message, when }) {
      const { runId, stepIndex } = at;
      const skip = async (present: Run | undefined, trx: Knex.Transaction) => {
        const run = known(present);
        const begun = dueSteps(run, when).includes(stepIndex) && beginStep(run, stepIndex, { worker: null, at: when });
        if (!begun || begun.result === undefined) return unchanged(run);
        const attempt = begun.result;
        await appendLog(trx, { ...at, attempt }, [{ number: 0, at: when, text: message }]);
        const end = { outcome: 'SKIPPED', message } as const;
        const ended = finishStep(begun.state, { stepIndex, attempt, end, at: when });
        return { ...ended, events: [...begun.events, ...ended.events] };
      };
      return (await changes.change({ by, runId, decide: skip })).run;
    },

    async find(organisationId, runId) {
      const [row] = await database.statement<object>(organisationId, oneRun, [organisationId, runId]);
      return row && runColumns.read(row);
    },

    async findMany(organisationId, runIds) {
      const rows = await database.statement<object>(organisationId, manyRuns, [organisationId, [...runIds]]);
      return rows.map((row) => runColumns.read(row));
    },

    async get(organisationId, pipelineId, runId) {
      const values = [organisationId, pipelineId, runId];
      const [row] = await database.statement<WholeRow>(organisationId, oneWholeRun, values);
      if (!row) throw pipelineRunNotFound();
      return wholeRunOf(row);
    },

    list: (organisationId, pipelineId, filter, page) =>
      database.tenant(organisationId, async (trx) => {
        const named = { organisation_id: organisationId, id: pipelineId };
        if (!(await trx('pipelines').where(named).first('id'))) throw pipelineNotFound();
        return listPage(runsLike(wholeRuns(trx, organisationId, pipelineId), filter), page, {
          order: filter.order,
          read: (rows: readonly WholeRow[]) => rows.map(wholeRunOf),
        });
      }),

    scheduledNotOver: (organisationId, pipelineId) =>
      database.tenant(organisationId, async (trx) => {
        const { rows } = await trx.raw<{ rows: { id: string }[] }>(SCHEDULED_NOT_OVER, { organisationId, pipelineId });
        return rows.map(({ id }) => id);
      }),

    noticeOf: (organisationId, runId) =>
      database.noticeOf([`run ${organisationId} ${runId}`, `waiting_runs ${organisationId}`]),
    noticeOfLog: (organisationId, runId) =>
      database.noticeOf([`run ${organisationId} ${runId}`, `run_log ${organisationId} ${runId}`]),

    notificationsOf: (organisationId, runId) =>
      database.tenant(organisationId, async (trx) => [
        ...(await notificationsOf(trx, organisationId, { run_id: runId })),
        ...(await toldWebhooks(trx, organisationId, { run_id: runId })),
      ]),

    queueStatus: (organisationId, { createdAt, id, pipelineId }) =>
      database.tenant(organisationId, async (trx) => {
        const { rows } = await trx.raw<{ rows: [QueueRow] }>(QUEUE_STATUS, {
          organisationId,
          createdAt,
          id,
          pipelineId,
        });
        const {
          position,
          of_pipeline: ofPipeline,
          of_organisation: ofOrganisation,
          max_concurrent_runs: max,
        } = rows[0];
        return {
          position,
          ofPipeline: { goingOn: ofPipeline, max },
          ofOrganisation: { goingOn: ofOrganisation, max: options.maxOfOrganisation },
        };
      }),

    appendLog: (at, lines) => database.tenant(at.organisationId, (trx) => appendLog(trx, at, lines)),
    listLog: (organisationId, runId, stepIndex, page) =>
      database.tenant(organisationId, (trx) => listLog(trx, { organisationId, runId, stepIndex }, page)),
    logAfter: (organisationId, runId, stepIndex, after, limit) =>
      database.tenant(organisationId, (trx) => logAfter(trx, { organisationId, runId, stepIndex }, after, limit)),
  };
}

const OUTDATED = 'Its dataset has a new version since it began: it is done again upon that one';

function known(run: Run | undefined): Run {
  if (!run) throw pipelineRunNotFound();
  return run;
}

/** The end of an attempt with what it made as versions of datasets, which they become only while it counts. */
async function withOutputs(
  run: Run,
  { stepIndex, attempt }: StepAttempt,
  end: ReportedEnd,
  record: (outputs: readonly DatasetOutput[]) => ReturnType<RecordOutputs>,
): Promise<StepEnd> {
  if (end.outcome !== 'SUCCEEDED') return end;
  const { made, ...facts } = end;
  const counts = isPresent(run, stepIndex, attempt) && run.status !== 'Cancelling';
  if (!counts || made.length === 0) return { ...facts, outputs: [] };
  const { inputVersionIds } = facts;
  const step = run.steps[stepIndex]?.name ?? '';
  const outputs = await record(made.map((output) => ({ ...output, runId: run.id, step, inputVersionIds })));
  if (outputs === 'outdated') return { outcome: 'POSTPONED', message: OUTDATED };
  if (outputs.length < made.length) throw datasetNotFound();
  return { ...facts, outputs };
}

/** Each half has its index. */
const SCHEDULED_NOT_OVER = ['admitted_at IS NULL', 'admitted_at IS NOT NULL']
  .map(
    (part) => `SELECT id FROM runs WHERE organisation_id = :organisationId AND pipeline_id = :pipelineId
               AND trigger = 'SCHEDULE' AND ${part} AND finished_at IS NULL`,
  )
  .join(' UNION ALL ');

interface QueueRow {
  position: number;
  of_pipeline: number;
  of_organisation: number;
  max_concurrent_runs: number;
}

const QUEUE_STATUS = `
  SELECT max_concurrent_runs,
         (SELECT count(*)::int FROM runs WHERE organisation_id = :organisationId AND admitted_at IS NULL
            AND finished_at IS NULL AND (created_at, id) <= (:createdAt, :id)) AS position,
         (SELECT count(*)::int FROM runs WHERE organisation_id = :organisationId AND pipeline_id = :pipelineId
            AND admitted_at IS NOT NULL AND finished_at IS NULL) AS of_pipeline,
         (SELECT count(*)::int FROM runs WHERE organisation_id = :organisationId AND admitted_at IS NOT NULL
            AND finished_at IS NULL) AS of_organisation
  FROM pipelines WHERE organisation_id = :organisationId AND id = :pipelineId`;

interface WholeRow {
  id: string;
  created_at: Date;
  version: object;
}

/** Asked for again and again while a run goes on: one round trip each. */
const oneRun = {
  name: 'run',
  text: `SELECT ${runColumns.names.join(', ')} FROM runs WHERE organisation_id = $1 AND id = $2`,
};
const manyRuns = {
  name: 'runs-by-ids',
  text: `SELECT ${runColumns.names.join(', ')} FROM runs WHERE organisation_id = $1 AND id = ANY ($2::uuid[])`,
};
const oneWholeRun = {
  name: 'run-with-version',
  text: `SELECT ${runColumns.names.map((name) => `runs.${name}`).join(', ')}, to_jsonb(pipeline_versions) AS version
         FROM runs JOIN pipeline_versions ON pipeline_versions.id = runs.version_id
         WHERE runs.organisation_id = $1 AND runs.pipeline_id = $2 AND runs.id = $3`,
};

/**
 * Runs with their versions: what is measured of a page is all of it. A version is looked up for each row of the page, and
 * not joined: how many rows a join leaves is guessed, and too few of them have all runs read and sorted for every page.
 */
const wholeRuns = (trx: Knex.Transaction, organisationId: string, pipelineId: string) =>
  trx('runs')
    .where({ organisation_id: organisationId, pipeline_id: pipelineId })
    .select(runColumns.names)
    .select(
      trx('pipeline_versions')
        .where({ id: trx.ref('runs.version_id') })
        .select(trx.raw('to_jsonb(pipeline_versions)'))
        .as('version'),
    ) as Knex.QueryBuilder<object, WholeRow[]>;

const wholeRunOf = (row: WholeRow): WholeRun => ({
  run: runColumns.read(row),
  version: versionColumns.read(withDates(row.version)),
});

const withDates = (version: object): object => ({
  ...version,
  created_at: new Date((version as { created_at: string }).created_at),
});

function runsLike(runs: Knex.QueryBuilder<object, WholeRow[]>, filter: RunFilter) {
  const { statuses, triggers, tags, versionId, backfillId, createdAfter, createdBefore } = filter;
  if (statuses.length > 0) void runs.whereIn('status', statuses);
  // Of runs that are over there is an index by their status.
  if (statuses.length > 0 && statuses.every((status) => FINAL.has(status))) void runs.whereNotNull('finished_at');
  if (triggers.length > 0) void runs.whereIn('trigger', triggers);
  if (tags.length > 0) void runs.whereRaw('tags @> ?::text[]', [[...tags]]);
  if (versionId !== undefined) void runs.where('version_id', versionId);
  if (backfillId !== undefined) void runs.where('backfill_id', backfillId);
  if (createdAfter) void runs.where('created_at', '>', createdAfter);
  if (createdBefore) void runs.where('created_at', '<', createdBefore);
  return runs;
}
