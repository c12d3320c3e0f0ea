import type { Actor } from '@platform-backend/core';
import { bigintColumn, column, columns, runPrepared, type Knex } from '@platform-backend/postgres';
import { isOver, readySteps, workersOf, type Run, type RunStep } from '../domain/run.ts';

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
  write: (actor) => JSON.stringify(actorJson(actor)),
});

const actorJson = ({ userId: _userId, level: _level, ...kept }: Actor): ActorJson => kept;

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
  reservedMicros: bigintColumn('charge_micros'),
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

/** Runs by their ids, locked in the order of these, as everybody locks them. */
export async function lockRuns(
  trx: Knex.Transaction,
  organisationId: string,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Run>> {
  const rows = await runPrepared<object>(trx, locked, [organisationId, [...ids]]);
  const runs = rows.map((row) => runColumns.read(row));
  return new Map(runs.map((run) => [run.id, run]));
}

const locked = {
  name: 'lock-runs',
  text: `SELECT ${runColumns.names.join(', ')} FROM runs WHERE organisation_id = ? AND id = ANY (?::uuid[])
         ORDER BY id FOR NO KEY UPDATE`,
};

/** A run as its row says it in JSON, with what the sweeps look for. */
const rowJson = (run: Run, at: Date) => ({
  ...runColumns.write(run),
  started_by: actorJson(run.startedBy),
  steps: run.steps,
  ready_since: readySince(run, at),
  workers: workersOf(run),
});

/**
 * Runs that are new. `charge_state` is for replicas of the release before this one alone, which pay without a debit for what they
 * have ended: only what is OPEN, and therefore nothing that has ended here.
 */
export async function insertRuns(
  trx: Knex.Transaction,
  organisationId: string,
  added: readonly Run[],
  at: Date,
): Promise<void> {
  if (added.length === 0) return;
  const rows = added.map((run) => ({
    ...rowJson(run, at),
    organisation_id: organisationId,
    charge_state: run.reservedMicros > 0n ? 'OPEN' : 'NONE',
  }));
  await runPrepared(trx, inserted, [JSON.stringify(rows)]);
}

const INSERTED = [...runColumns.names, 'ready_since', 'workers', 'organisation_id', 'charge_state'].join(', ');
const inserted = {
  name: 'insert-runs',
  text: `INSERT INTO runs (${INSERTED}) SELECT ${INSERTED} FROM jsonb_populate_recordset(NULL::runs, ?::jsonb)`,
};

/** Writes runs as they are now. */
export async function updateRuns(
  trx: Knex.Transaction,
  organisationId: string,
  runs: readonly Run[],
  at: Date,
): Promise<void> {
  if (runs.length === 0) return;
  const rows = runs.map((run) => rowJson(run, at));
  await runPrepared(trx, updated, [JSON.stringify(rows), organisationId, runs.map(({ id }) => id)]);
}

const updated = {
  name: 'update-runs',
  text: `UPDATE runs SET status = new.status, admitted_at = new.admitted_at, started_at = new.started_at,
                cancelling_at = new.cancelling_at, finished_at = new.finished_at, message = new.message,
                steps = new.steps, changes = new.changes, ready_since = new.ready_since, workers = new.workers,
                charge_state = CASE WHEN new.finished_at IS NULL THEN runs.charge_state ELSE 'SETTLED' END
         FROM jsonb_populate_recordset(NULL::runs, ?::jsonb) AS new
         WHERE runs.organisation_id = ? AND runs.id = ANY (?::uuid[]) AND runs.id = new.id`,
};

/** Since when steps of it wait to be begun. */
const readySince = (run: Run, at: Date): Date | null => (!isOver(run) && readySteps(run).length > 0 ? at : null);
