import type { Actor } from '@platform/core';
import { column, columns, type Knex } from '@platform/postgres';
import { isOver, readySteps, workersOf, type Run, type RunStep } from '../domain/runs/run.ts';

/** Steps of runs that began before there was `notBefore` were never postponed. */
type StepJson = Omit<RunStep, 'startedAt' | 'finishedAt' | 'notBefore'> & {
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly notBefore?: string | null;
};

const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

const stepOfJson = (step: StepJson): RunStep => ({
  ...step,
  startedAt: dateOf(step.startedAt),
  finishedAt: dateOf(step.finishedAt),
  notBefore: dateOf(step.notBefore ?? null),
});

type ActorJson = Omit<Actor, 'userId' | 'level'>;

/** Who started it, so that it can be told; what they may do is not kept. */
const actorColumn = column<Actor>('started_by', {
  read: (kept: ActorJson) => ({
    ...kept,
    userId: kept.type === 'user' ? kept.id : (kept.onBehalfOf?.id ?? null),
    level: null,
  }),
  write: ({ userId: _userId, level: _level, ...kept }) => JSON.stringify(kept satisfies ActorJson),
});

export const runColumns = columns<Run>({
  id: 'id',
  pipelineId: 'pipeline_id',
  versionId: 'version_id',
  name: 'name',
  status: 'status',
  trigger: 'trigger',
  retryOfRunId: 'retry_of_run_id',
  startedBy: actorColumn,
  engine: 'engine',
  timeLimitSeconds: 'time_limit_seconds',
  createdAt: 'created_at',
  admittedAt: 'admitted_at',
  startedAt: 'started_at',
  cancellingAt: 'cancelling_at',
  finishedAt: 'finished_at',
  message: 'message',
  steps: column<readonly RunStep[]>('steps', {
    read: (steps: readonly StepJson[]) => steps.map(stepOfJson),
    write: (steps) => JSON.stringify(steps),
  }),
  changes: 'changes',
});

/** Writes runs as they are now in one statement, with what the sweeps look for. */
export async function updateRuns(
  trx: Knex.Transaction,
  organisationId: string,
  runs: readonly Run[],
  at: Date,
): Promise<void> {
  const rows = runs.map((run) => ({
    id: run.id,
    status: run.status,
    admitted_at: run.admittedAt,
    started_at: run.startedAt,
    cancelling_at: run.cancellingAt,
    finished_at: run.finishedAt,
    message: run.message,
    steps: run.steps,
    changes: run.changes,
    ready_since: readySince(run, at),
    workers: `{${workersOf(run).join(',')}}`,
  }));
  await trx.raw(
    `UPDATE runs SET status = new.status, admitted_at = new.admitted_at, started_at = new.started_at,
            cancelling_at = new.cancelling_at, finished_at = new.finished_at, message = new.message, steps = new.steps,
            changes = new.changes, ready_since = new.ready_since, workers = new.workers::uuid[]
     FROM jsonb_to_recordset(?::jsonb) AS new (id uuid, status text, admitted_at timestamptz, started_at timestamptz,
            cancelling_at timestamptz, finished_at timestamptz, message text, steps jsonb, changes integer,
            ready_since timestamptz, workers text)
     WHERE runs.organisation_id = ? AND runs.id = ANY (?::uuid[]) AND runs.id = new.id`,
    [JSON.stringify(rows), organisationId, runs.map(({ id }) => id)],
  );
}

/** Since when steps of it wait to be begun. */
const readySince = (run: Run, at: Date): Date | null => (!isOver(run) && readySteps(run).length > 0 ? at : null);
