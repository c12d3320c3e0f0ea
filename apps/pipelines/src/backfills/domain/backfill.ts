import {
  created,
  decided,
  fieldViolation,
  idOf,
  invalid,
  unchanged,
  type Actor,
  type ActorContext,
  type Decision,
  type Violation,
} from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import type { Cell } from '../../step-engine/domain/step-job.ts';
import { checkedValue, startValues, type Parameter, type ParameterValues } from '../../steps/domain/parameters.ts';
import { tooManyBackfills } from './errors.ts';

/** `Running` until all of its runs are over, or no more of them are wanted or could be started. */
export type BackfillStatus = 'Running' | 'Succeeded' | 'Failed' | 'Cancelled';

/** Runs of one version over values of one parameter, a few of them at a time. */
export interface Backfill {
  readonly id: string;
  readonly pipelineId: string;
  readonly versionId: string;
  readonly status: BackfillStatus;
  readonly parameter: string;
  /** In the order in which runs are started. */
  readonly values: readonly Cell[];
  /** The same for all runs. */
  readonly parameters: ParameterValues;
  readonly maxConcurrentRuns: number;
  /** How many of the values have a run, the first ones. */
  readonly startedRuns: number;
  readonly message: string;
  readonly startedBy: Actor;
  readonly clientGroupId: string | null;
  readonly requestId: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** What has become of its runs so far. */
export interface BackfillRuns {
  readonly open: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
}

export interface BackfillInput extends Pick<
  Backfill,
  'id' | 'pipelineId' | 'versionId' | 'parameter' | 'parameters' | 'maxConcurrentRuns'
> {
  readonly values: readonly Cell[];
  /** In place of values. */
  readonly range: BackfillRange | null;
}

/** Both ends included. */
export interface BackfillRange {
  readonly first: Cell;
  readonly last: Cell;
  readonly step: number;
}

/** Of one backfill. */
export const MAX_BACKFILL_VALUES = 1_000;
/** Of an organisation, at the same time. */
export const MAX_OPEN_BACKFILLS = 10;
const DAY_MS = 86_400_000;

/** One value has one run, whoever starts it. */
export const backfillRunId = (organisationId: string, { id }: Pick<Backfill, 'id'>, index: number): string =>
  idOf(['backfill-run', organisationId, id, String(index)]);

/** What one of its runs is started with. */
export const valuesOfRun = ({ parameter, parameters, values }: Backfill, index: number): ParameterValues => ({
  ...parameters,
  [parameter]: values[index] ?? null,
});

const violation = (field: Violation['loc'], problem: string, input: unknown): Violation =>
  fieldViolation(['body', ...field], problem, input);

/** The values that are wanted. INVALID: none, too many, one twice, or one that the parameter cannot have. */
export function backfillValues(wanted: BackfillInput, declared: readonly Parameter[]): readonly Cell[] {
  const { parameter: name, parameters } = wanted;
  const parameter = declared.find((one) => one.name === name);
  if (!parameter) throw invalid([violation(['parameter'], 'the version has no such parameter', name)]);
  if (Object.hasOwn(parameters, name))
    throw invalid([violation(['parameters', name], 'its values are those of the backfill', parameters[name])]);
  if (wanted.values.length > 0 === (wanted.range !== null))
    throw invalid([violation(['values'], 'it has either values or a range', wanted.values.length)]);
  const values = wanted.range ? valuesOfRange(parameter, wanted.range) : wanted.values;
  const kept = values.map((value, index) => {
    const field = wanted.range ? ['range'] : ['values', index];
    const { values: started, violations } = startValues(declared, { ...parameters, [name]: value });
    const found = violations.map((one) => (one.loc[2] === name ? { ...one, loc: ['body', ...field] } : one));
    if (found.length > 0) throw invalid(found);
    return started[name] ?? null;
  });
  const seen = new Set<Cell>();
  for (const [index, value] of kept.entries()) {
    if (seen.has(value)) throw invalid([violation(['values', index], 'this value is there twice', value)]);
    seen.add(value);
  }
  return kept;
}

function valuesOfRange({ type, name }: Parameter, { first, last, step }: BackfillRange): readonly Cell[] {
  if (type !== 'DATE' && type !== 'INTEGER')
    throw invalid([violation(['range'], `only a DATE or an INTEGER has one, and ${name} is a ${type}`, null)]);
  const [from, until] = [first, last].map((end) => positionOf(type, end)) as [number, number];
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(until))
    throw invalid([violation(['range'], `its ends are of type ${type}`, null)]);
  if (until < from) throw invalid([violation(['range', 'last'], 'it comes before the first', last)]);
  const count = Math.floor((until - from) / step) + 1;
  if (count > MAX_BACKFILL_VALUES)
    throw invalid([violation(['range'], `it has ${count} values, and at most ${MAX_BACKFILL_VALUES} may be`, null)]);
  return Array.from({ length: count }, (_, index) => valueAt(type, from + index * step));
}

/** Days since 1970, or the number itself. */
const positionOf = (type: 'DATE' | 'INTEGER', value: Cell): number =>
  type === 'DATE'
    ? typeof value === 'string' && 'value' in checkedValue('DATE', value)
      ? Date.parse(`${value}T00:00:00Z`) / DAY_MS
      : Number.NaN
    : typeof value === 'number'
      ? value
      : Number.NaN;

const valueAt = (type: 'DATE' | 'INTEGER', position: number): Cell =>
  type === 'DATE' ? new Date(position * DAY_MS).toISOString().slice(0, 10) : position;

/** CONFLICT: the organisation has too many. */
export function startBackfill(
  openOnes: number,
  by: ActorContext & { readonly clientGroupId?: string | undefined },
  wanted: Omit<BackfillInput, 'range'>,
  at: Date,
): Decision<Backfill, PipelinesEvent> {
  if (openOnes >= MAX_OPEN_BACKFILLS) throw tooManyBackfills({ max: MAX_OPEN_BACKFILLS });
  const { id, pipelineId, versionId, parameter, parameters, maxConcurrentRuns, values } = wanted;
  const backfill: Backfill = {
    ...{ id, pipelineId, versionId, parameter, parameters, maxConcurrentRuns, values },
    ...{ status: 'Running', startedRuns: 0, message: '', createdAt: at, finishedAt: null },
    ...{ startedBy: by.actor, clientGroupId: by.clientGroupId ?? null, requestId: by.requestId },
  };
  return created(
    'backfill.started',
    backfill,
    at,
    { backfill_id: id, pipeline_id: pipelineId, version_id: versionId, runs: values.length },
    { pipeline_id: pipelineId, version_id: versionId, parameter, runs: values.length },
  );
}

export const isOver = ({ status }: Pick<Backfill, 'status'>): boolean => status !== 'Running';

/** The indexes of values whose runs are to be started now. */
export function nextRuns(backfill: Backfill, { open }: BackfillRuns): readonly number[] {
  const { values, startedRuns, maxConcurrentRuns } = backfill;
  if (isOver(backfill)) return [];
  const count = Math.max(0, Math.min(maxConcurrentRuns - open, values.length - startedRuns));
  return Array.from({ length: count }, (_, index) => startedRuns + index);
}

/** A run is there of each value before this one. Somebody else may have been faster, or have ended it. */
export const noteStarted = (backfill: Backfill, startedRuns: number): Decision<Backfill, PipelinesEvent> =>
  backfill.startedRuns >= startedRuns ? unchanged(backfill) : decided({ ...backfill, startedRuns }, []);

/** All of its runs are over. */
export const isSettled = ({ startedRuns, values }: Backfill, { open }: BackfillRuns): boolean =>
  startedRuns === values.length && open === 0;

/** Ends it where that is so. */
export function settle(backfill: Backfill, runs: BackfillRuns, at: Date): Decision<Backfill, PipelinesEvent> {
  if (isOver(backfill) || !isSettled(backfill, runs)) return unchanged(backfill);
  const bad = runs.failed + runs.cancelled;
  return ended(
    backfill,
    bad === 0 ? 'Succeeded' : 'Failed',
    bad === 0 ? '' : `${bad} of its runs have not succeeded`,
    at,
  );
}

/** Ends it where a run could not be started; those that go on do so. */
export const giveUp = (
  backfill: Backfill,
  index: number,
  reason: string,
  at: Date,
): Decision<Backfill, PipelinesEvent> =>
  // Somebody else may have started it.
  isOver(backfill) || backfill.startedRuns > index
    ? unchanged(backfill)
    : ended(
        backfill,
        'Failed',
        `The run for ${JSON.stringify(backfill.values[index])} could not be started: ${reason}`,
        at,
      );

/** Repeating it is safe. */
export const cancelBackfill = (backfill: Backfill, at: Date): Decision<Backfill, PipelinesEvent> =>
  isOver(backfill) ? unchanged(backfill) : ended(backfill, 'Cancelled', 'It was cancelled', at);

function ended(
  backfill: Backfill,
  status: BackfillStatus,
  message: string,
  at: Date,
): Decision<Backfill, PipelinesEvent> {
  const { id, pipelineId } = backfill;
  return decided(
    { ...backfill, status, message, finishedAt: at },
    {
      name: 'backfill.finished',
      subject: id,
      at,
      data: { backfill_id: id, pipeline_id: pipelineId, status, message },
      ...(status === 'Cancelled' && { change: { before: { status: backfill.status }, after: { status } } }),
    },
  );
}
