import { storableJson, type Actor } from '@platform-backend/core';
import { bigintColumn, column, columns, runPrepared, type Knex } from '@platform-backend/postgres';
import { ENGINE_VERSION } from '../../steps/domain/step.ts';
import { EMBEDDED_ENGINE } from '../domain/run-engine.ts';
import { isOver, readySteps, stepsInFront, workersOf, type Run, type RunStep } from '../domain/run.ts';

/** What steps of runs do not say that began before it was kept. */
const UNSAID = {
  needsKernel: false,
  engineVersion: 1,
  startsRun: false,
  forEach: null,
  timeLimitSeconds: null,
  retryPolicy: null,
  failures: 0,
  errorCode: '',
} as const satisfies Partial<RunStep>;

/** Steps of runs that began before there was `notBefore` were never postponed. */
type StepJson = Omit<RunStep, 'startedAt' | 'finishedAt' | 'notBefore' | keyof typeof UNSAID> &
  Partial<Pick<RunStep, Exclude<keyof typeof UNSAID, 'needsKernel'>>> & {
    readonly needsKernel?: boolean | null;
    /** What `needsKernel` is where replicas of before are not told. Absent: true. */
    readonly waitsElsewhere?: boolean;
    readonly startedAt: string | null;
    readonly finishedAt: string | null;
    readonly notBefore?: string | null;
  };

const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

const stepOfJson = ({ waitsElsewhere = true, ...step }: StepJson): RunStep => ({
  ...UNSAID,
  ...step,
  startsRun: step.startsRun === true || (step.forEach ?? null) !== null,
  needsKernel: step.needsKernel === undefined ? UNSAID.needsKernel : (step.needsKernel ?? waitsElsewhere),
  startedAt: dateOf(step.startedAt),
  finishedAt: dateOf(step.finishedAt),
  notBefore: dateOf(step.notBefore ?? null),
});

/**
 * Replicas of before take what needs a kernel for a program, and what needs none for SQL: what is neither they leave alone. What starts several
 * runs they would take for what starts one.
 */
const jsonOfStep = (step: RunStep) =>
  step.engineVersion > 1
    ? {
        ...step,
        ...(step.forEach && { startsRun: false }),
        needsKernel: null,
        waitsElsewhere: step.needsKernel,
      }
    : step;

type ActorJson = Omit<Actor, 'userId' | 'level'>;

/** Who started it, so that it can be told; what they may do is not kept. */
export const actorColumn = column<Actor>('started_by', {
  read: (kept: ActorJson) => ({
    ...kept,
    userId: kept.type === 'user' ? kept.id : (kept.onBehalfOf?.id ?? null),
    level: null,
  }),
  write: (actor) => storableJson(actorJson(actor)),
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
  eventChain: 'event_chain',
  tags: 'tags',
  notifies: 'notifies',
  startedBy: actorColumn,
  clientGroupId: 'client_group_id',
  parent: column<Run['parent']>('parent', {
    read: (kept: Run['parent']) => kept,
    write: (parent) => parent && storableJson(parent),
  }),
  parameters: column<Run['parameters']>('parameters', {
    read: (kept: Run['parameters']) => kept,
    write: (parameters) => storableJson(parameters),
  }),
  backfillId: 'backfill_id',
  requestId: 'request_id',
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
    write: (steps) => storableJson(steps.map(jsonOfStep)),
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
  parent: run.parent,
  parameters: run.parameters,
  steps: run.steps.map(jsonOfStep),
  ready_since: readySince(run, at),
  workers: workersOf(run),
  due_at: dueAt(run, { needsKernel: false }),
  kernel_due_at: dueAt(run, { needsKernel: true }),
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
    engine_version: ENGINE_VERSION,
    parent_run_id: run.parent?.runId ?? null,
    starts_runs: run.steps.some((step) => step.startsRun),
  }));
  await runPrepared(trx, inserted, [storableJson(rows)]);
}

const INSERTED = [
  ...runColumns.names,
  'ready_since',
  'workers',
  'due_at',
  'kernel_due_at',
  'organisation_id',
  'charge_state',
  'engine_version',
  'parent_run_id',
  'starts_runs',
].join(', ');
const inserted = {
  name: 'insert-runs-of-requests',
  text: `INSERT INTO runs (${INSERTED}) SELECT ${INSERTED} FROM jsonb_populate_recordset(NULL::runs, ?::jsonb)`,
};

/** What has waited already goes on waiting since then, however often its run changes. */
const sinceFirst = (name: string): string =>
  `CASE WHEN new.${name} <= now() AND runs.${name} <= new.${name} THEN runs.${name} ELSE new.${name} END`;

/** Writes runs as they are now. */
export async function updateRuns(
  trx: Knex.Transaction,
  organisationId: string,
  runs: readonly Run[],
  at: Date,
): Promise<void> {
  if (runs.length === 0) return;
  const rows = runs.map((run) => rowJson(run, at));
  await runPrepared(trx, updated, [storableJson(rows), organisationId, runs.map(({ id }) => id)]);
}

const updated = {
  name: 'update-due-runs',
  text: `UPDATE runs SET status = new.status, admitted_at = new.admitted_at, started_at = new.started_at,
                cancelling_at = new.cancelling_at, finished_at = new.finished_at, message = new.message,
                steps = new.steps, changes = new.changes, ready_since = new.ready_since, workers = new.workers,
                due_at = ${sinceFirst('due_at')}, kernel_due_at = ${sinceFirst('kernel_due_at')},
                charge_state = CASE WHEN new.finished_at IS NULL THEN runs.charge_state ELSE 'SETTLED' END
         FROM jsonb_populate_recordset(NULL::runs, ?::jsonb) AS new
         WHERE runs.organisation_id = ? AND runs.id = ANY (?::uuid[]) AND runs.id = new.id`,
};

/**
 * From when on a step of this kind can be begun once the run is admitted: at once, by the clock of PostgreSQL, unless all of them were
 * postponed. Argo begins steps by itself.
 */
function dueAt(run: Run, { needsKernel }: Pick<RunStep, 'needsKernel'>): Date | 'now' | null {
  if (run.engine !== EMBEDDED_ENGINE) return null;
  const steps = stepsInFront(run).flatMap((stepIndex) => run.steps[stepIndex] ?? []);
  const times = steps
    .filter((step) => !step.startsRun && step.needsKernel === needsKernel)
    .map(({ notBefore }) => notBefore);
  if (times.length === 0) return null;
  if (times.includes(null)) return 'now';
  return times.reduce((first, time) => (first && time && time < first ? time : first)) ?? 'now';
}

/** Since when steps of it wait to be begun: those that were all postponed, from when the first of them may be. */
function readySince(run: Run, at: Date): Date | null {
  if (isOver(run)) return null;
  const since = readySteps(run).map((stepIndex) =>
    Math.max(at.getTime(), run.steps[stepIndex]?.notBefore?.getTime() ?? 0),
  );
  return since.length > 0 ? new Date(Math.min(...since)) : null;
}
