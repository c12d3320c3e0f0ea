import { serviceActorContext, storableJson } from '@platform-backend/core';
import {
  changesIn,
  column,
  columns,
  firstOrThrow,
  jsonColumn,
  listPage,
  recordEventsOf,
  type Database,
  type Knex,
} from '@platform-backend/postgres';
import { nextTimesOf } from '../../schedules/store/schedules-store.ts';
import type { Step, StepConfig } from '../../steps/domain/step.ts';
import { pipelineNotFound, pipelineVersionNotFound } from '../domain/errors.ts';
import { countScheduledRun, type Pipeline, type PipelineVersion } from '../domain/pipeline.ts';
import type { PipelineFilter, Pipelines } from '../domain/pipelines.ts';

/** Has a pipeline fire by its schedule, or no more; in the transaction that changes it. */
export type SetPipelineSchedule = (
  trx: Knex.Transaction,
  organisationId: string,
  pipeline: Pipeline,
) => Promise<unknown>;

/** A run as far as its pipeline counts it. */
interface FinishedRun {
  readonly id: string;
  readonly pipelineId: string;
  readonly status: string;
}

/** Counts runs of schedules that are over now, in the transaction that ends them. */
export type CountScheduledRuns = (
  trx: Knex.Transaction,
  organisationId: string,
  over: readonly FinishedRun[],
  at: Date,
) => Promise<void>;

const recordEvents = recordEventsOf('pipelines');

/** Pipelines and their versions in PostgreSQL. */
export function pipelinesStore(database: Database, setSchedule: SetPipelineSchedule): Pipelines {
  const changes = changesIn(database, recordEvents);
  const save = savePipeline(setSchedule);

  return {
    add: (by, created) =>
      changes.add(by, created, async (trx, { pipeline, published }) => {
        await trx('pipelines').insert({ ...pipelineColumns.write(pipeline), organisation_id: by.organisationId });
        if (published) await insertVersion(trx, by.organisationId, published);
        await setSchedule(trx, by.organisationId, pipeline);
      }),

    update: (by, id, decide) =>
      changes.update(by, decide, {
        load: (trx) => load(trx, by.organisationId, id, 'locked'),
        save: (trx, pipeline) => save(trx, by.organisationId, pipeline),
      }),

    publish: (by, id, decide) =>
      changes.update(by, decide, {
        load: (trx) => load(trx, by.organisationId, id, 'locked'),
        save: async (trx, { pipeline, published }) => {
          await insertVersion(trx, by.organisationId, published);
          await save(trx, by.organisationId, pipeline);
        },
      }),

    async get(organisationId, id) {
      const [row] = await database.statement<object>(organisationId, onePipeline, [organisationId, id]);
      if (!row) throw pipelineNotFound();
      return pipelineColumns.read(row);
    },

    async getForRun(organisationId, id, runId) {
      const values = [organisationId, id, runId];
      const [row] = await database.statement<{ is_known: boolean }>(organisationId, onePipelineForRun, values);
      if (!row) throw pipelineNotFound();
      return { pipeline: pipelineColumns.read(row), isKnown: row.is_known };
    },

    nextTimes: (organisationId, ids) =>
      database.tenant(organisationId, (trx) => nextTimesOf(trx, organisationId, 'PIPELINE', ids)),

    list: (organisationId, filter, page) =>
      database.tenant(organisationId, (trx) =>
        listPage(pipelinesLike(trx, organisationId, filter), page, {
          order: filter.order,
          read: (rows) => rows.map(pipelineColumns.read),
        }),
      ),

    async getVersion(organisationId, pipelineId, versionId) {
      const values = [organisationId, pipelineId, versionId];
      const [row] = await database.statement<object>(organisationId, oneVersion, values);
      if (!row) throw pipelineVersionNotFound();
      return versionColumns.read(row);
    },

    listVersions: (organisationId, pipelineId, page) =>
      database.tenant(organisationId, async (trx) => {
        await load(trx, organisationId, pipelineId);
        return listPage(versionsOf(trx, organisationId, pipelineId), page, {
          order: 'desc',
          read: (rows) => rows.map(versionColumns.read),
        });
      }),
  };
}

const savePipeline =
  (setSchedule: SetPipelineSchedule) =>
  async (trx: Knex.Transaction, organisationId: string, pipeline: Pipeline): Promise<void> => {
    await named(trx, organisationId, pipeline.id).update(pipelineColumns.write(pipeline));
    await setSchedule(trx, organisationId, pipeline);
  };

/** Counts runs of schedules with their pipelines, which may pause a schedule. */
export const countScheduledRuns = (setSchedule: SetPipelineSchedule): CountScheduledRuns => {
  const save = savePipeline(setSchedule);
  return async (trx, organisationId, over, at) => {
    const ended = Map.groupBy(over, ({ pipelineId }) => pipelineId);
    const rows = await trx('pipelines')
      .where({ organisation_id: organisationId })
      .whereIn('id', [...ended.keys()])
      .orderBy('id')
      .forNoKeyUpdate()
      .select<object[]>(pipelineColumns.names);
    for (const before of rows.map(pipelineColumns.read)) {
      let pipeline = before;
      for (const run of ended.get(before.id) ?? []) {
        const { state, events } = countScheduledRun(pipeline, run.status === 'Succeeded', at);
        await recordEvents(trx, serviceActorContext('pipelines', organisationId, run.id), events);
        pipeline = state;
      }
      if (pipeline !== before) await save(trx, organisationId, pipeline);
    }
  };
};

/** Removes everything of an organisation that has to do with pipelines: versions, runs and logs go with them. */
export const removePipelines = (trx: Knex.Transaction, organisationId: string) =>
  trx('pipelines').where({ organisation_id: organisationId }).delete();

const named = (trx: Knex.Transaction, organisationId: string, id: string) =>
  trx('pipelines').where({ organisation_id: organisationId, id });

const versionsOf = (trx: Knex.Transaction, organisationId: string, pipelineId: string) =>
  trx('pipeline_versions').where({ organisation_id: organisationId, pipeline_id: pipelineId });

async function load(
  trx: Knex.Transaction,
  organisationId: string,
  id: string,
  lock: 'locked' | 'unlocked' = 'unlocked',
): Promise<Pipeline> {
  const query = named(trx, organisationId, id);
  if (lock === 'locked') void query.forNoKeyUpdate();
  return firstOrThrow(query, pipelineColumns, pipelineNotFound);
}

const insertVersion = (trx: Knex.Transaction, organisationId: string, version: PipelineVersion) =>
  trx('pipeline_versions').insert({ ...versionColumns.write(version), organisation_id: organisationId });

function pipelinesLike(trx: Knex.Transaction, organisationId: string, { archived, search, tags }: PipelineFilter) {
  const pipelines = trx('pipelines').where({ organisation_id: organisationId, archived });
  // What looks like a pattern is meant as it is written.
  const pattern = `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  if (search)
    void pipelines.whereRaw('(name ILIKE ? OR EXISTS (SELECT FROM unnest(tags) AS tag WHERE tag ILIKE ?))', [
      pattern,
      pattern,
    ]);
  if (tags.length > 0) void pipelines.whereRaw('tags @> ?::text[]', [[...tags]]);
  return pipelines.select(pipelineColumns.names);
}

const pipelineColumns = columns<Pipeline>({
  id: 'id',
  name: 'name',
  description: 'description',
  referenceNotes: 'reference_notes',
  cronSchedule: 'cron_schedule',
  timeZone: 'time_zone',
  overlap: 'overlap',
  scheduleEnabled: 'schedule_enabled',
  runsOnNewData: 'runs_on_new_data',
  maxConcurrentRuns: 'max_concurrent_runs',
  runTimeLimitSeconds: 'run_time_limit_seconds',
  tags: 'tags',
  notificationSettings: jsonColumn('notification_settings'),
  notifyOn: 'notify_on',
  scheduleParameters: jsonColumn('schedule_parameters'),
  archived: 'archived',
  currentVersionId: 'current_version_id',
  versionCount: 'version_count',
  pausedReason: 'paused_reason',
  failuresInRow: 'failures_in_row',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
});

/** What steps that were published before do not say. */
const UNSAID = {
  ...{ parameters: {}, rowLimit: null, retryPolicy: null },
  ...{
    outputMode: 'OVERWRITE',
    mergeKeys: [],
    http: null,
    llm: null,
    pipelineVersionId: null,
    when: [],
    forEach: null,
  },
} as const satisfies Partial<StepConfig>;

type StepJson = Omit<Step, 'createdAt' | 'config'> & {
  readonly createdAt: string;
  readonly config: Omit<StepConfig, keyof typeof UNSAID> & Partial<Pick<StepConfig, keyof typeof UNSAID>>;
};

export const versionColumns = columns<PipelineVersion>({
  id: 'id',
  pipelineId: 'pipeline_id',
  number: 'number',
  stepOrder: 'step_order',
  parameters: jsonColumn('parameters'),
  steps: column<readonly Step[]>('steps', {
    read: (steps: readonly StepJson[]) =>
      steps.map((step) => ({
        ...step,
        config: { ...UNSAID, ...step.config },
        createdAt: new Date(step.createdAt),
      })),
    write: (steps) => storableJson(steps),
  }),
  createdAt: 'created_at',
});

/** Asked for with every run: one round trip each. */
const onePipeline = {
  name: 'pipeline',
  text: `SELECT ${pipelineColumns.names.join(', ')} FROM pipelines WHERE organisation_id = $1 AND id = $2`,
};
const onePipelineForRun = {
  name: 'pipeline-for-run',
  text: `SELECT ${pipelineColumns.names.join(', ')},
                EXISTS (SELECT FROM runs WHERE organisation_id = $1 AND id = $3) AS is_known
         FROM pipelines WHERE organisation_id = $1 AND id = $2`,
};
const oneVersion = {
  name: 'pipeline-version',
  text: `SELECT ${versionColumns.names.join(', ')} FROM pipeline_versions
         WHERE organisation_id = $1 AND pipeline_id = $2 AND id = $3`,
};
