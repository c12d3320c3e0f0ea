import {
  DomainError,
  inParallel,
  isUnavailable,
  keyReused,
  newId,
  outsideOfCalls,
  serviceActorContext,
  type Clock,
  type Logger,
  type ActorContext,
  type Page,
} from '@platform-backend/core';
import type { Payer } from '../../credits/domain/credits.ts';
import { archivedPipeline, type PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import type { Pipelines } from '../../pipelines/domain/pipelines.ts';
import { noVersion } from '../../runs/domain/errors.ts';
import type { Run } from '../../runs/domain/run.ts';
import {
  backfillRunId,
  backfillValues,
  cancelBackfill,
  giveUp,
  isOver,
  isSettled,
  nextRuns,
  noteStarted,
  settle,
  startBackfill,
  valuesOfRun,
  type Backfill,
  type BackfillStatus,
  type BackfillInput,
} from '../domain/backfill.ts';
import type { BackfillPage, BackfillRef, Backfills, CountedBackfill } from '../domain/backfills.ts';

/** A run of a backfill, as it is started. */
export interface BackfillRun extends Pick<Run, 'pipelineId' | 'versionId' | 'parameters'> {
  readonly runId: string;
  readonly backfillId: string;
}

export interface BackfillPorts {
  readonly backfills: Backfills;
  readonly pipelines: Pick<Pipelines, 'get'>;
  /** They never change. */
  readonly findVersion: (organisationId: string, pipelineId: string, versionId: string) => Promise<PipelineVersion>;
  /** The same run however often it is started. */
  readonly startRun: (payer: Payer, wanted: BackfillRun) => Promise<unknown>;
  readonly cancelRun: (organisationId: string, runId: string) => Promise<void>;
  /** PAYMENT_REQUIRED: there are no credits. */
  readonly withCredits: <Result>(payer: Payer, work: () => Promise<Result>) => Promise<Result>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

export type BackfillUseCases = ReturnType<typeof backfillUseCases>;

/** Backfills that are read together. */
const AT_ONCE = 200;
/** Of them so many are looked after side by side. */
const ADVANCED_AT_ONCE = 8;
/**
 * Runs over many values of a parameter. Who has started which of them is in the row of the backfill and in the ids of its runs, which are made of
 * it and the index of the value: whoever goes on after a process has died starts the same ones again.
 */
export function backfillUseCases(ports: BackfillPorts) {
  const { backfills, pipelines, findVersion, startRun, cancelRun, withCredits, clock, logger } = ports;

  const byOf = (organisationId: string): ActorContext => serviceActorContext('pipelines', organisationId, newId());

  /** Starts what there is room for, and ends it when all is over. */
  async function advance({ organisationId, id }: BackfillRef): Promise<void> {
    const found = await backfills.find(organisationId, id);
    if (!found || isOver(found.backfill)) return;
    const { backfill, runs } = found;
    const indexes = nextRuns(backfill, runs);
    for (const index of indexes) if (!(await startOne(organisationId, backfill, index))) return;
    if (isSettled(backfill, runs))
      await backfills.change(byOf(organisationId), id, (now) => settle(now, runs, clock.now()));
  }

  /** Whether there is to be another one. */
  async function startOne(organisationId: string, backfill: Backfill, index: number): Promise<boolean> {
    const { id, pipelineId, versionId, startedBy: actor, requestId, clientGroupId } = backfill;
    const payer = { organisationId, actor, requestId: requestId ?? id, clientGroupId: clientGroupId ?? undefined };
    const runId = backfillRunId(organisationId, backfill, index);
    try {
      await startRun(payer, { runId, pipelineId, versionId, parameters: valuesOfRun(backfill, index), backfillId: id });
    } catch (error) {
      // Whoever looks next tries again.
      if (!(error instanceof DomainError) || isUnavailable(error)) throw error;
      await backfills.change(byOf(organisationId), id, (now) => giveUp(now, index, error.message, clock.now()));
      return false;
    }
    const now = await backfills.change(byOf(organisationId), id, (present) => noteStarted(present, index + 1));
    // It was cancelled while this one was started: nobody has seen it.
    if (now.status === 'Cancelled') await cancelRun(organisationId, runId);
    return !isOver(now);
  }

  async function loggingFailure(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      logger.warn({ event: 'backfill.not_advanced', err: error }, 'a backfill could not go on, trying again later');
    }
  }

  /** Nobody waits for it, and it outlives the call that has ended a run. */
  const later = (work: () => Promise<unknown>): void => outsideOfCalls(() => void loggingFailure(work));

  const get = (organisationId: string, pipelineId: string, id: string): Promise<CountedBackfill> =>
    backfills.get(organisationId, pipelineId, id);

  return {
    /**
     * Repeating it with the same id answers the same backfill. INVALID: values that the parameter cannot have. CONFLICT: the pipeline is archived or
     * has no version, or too many go on. PAYMENT_REQUIRED: there are no credits.
     */
    async start(
      payer: Payer,
      {
        versionId: wantedVersion,
        ...wanted
      }: Omit<BackfillInput, 'versionId'> & { readonly versionId: string | undefined },
    ): Promise<CountedBackfill> {
      const { organisationId } = payer;
      const { id, pipelineId } = wanted;
      const { archived, currentVersionId } = await pipelines.get(organisationId, pipelineId);
      const known = await backfills.find(organisationId, id);
      if (known) {
        if (known.backfill.pipelineId !== pipelineId) throw keyReused();
        return known;
      }
      if (archived) throw archivedPipeline();
      const versionId = wantedVersion ?? currentVersionId;
      if (versionId === null) throw noVersion();
      const { parameters } = await findVersion(organisationId, pipelineId, versionId);
      const values = backfillValues({ ...wanted, versionId }, parameters);
      await withCredits(payer, () =>
        backfills.add(payer, id, (open) => startBackfill(open, payer, { ...wanted, versionId, values }, clock.now())),
      );
      return get(organisationId, pipelineId, id);
    },

    get,

    async list(
      organisationId: string,
      pipelineId: string,
      statuses: readonly BackfillStatus[],
      page: BackfillPage,
    ): Promise<Page<CountedBackfill>> {
      await pipelines.get(organisationId, pipelineId);
      return backfills.list(organisationId, pipelineId, statuses, page);
    },

    /** Its runs that go on end within seconds. */
    async cancel(by: ActorContext, pipelineId: string, id: string): Promise<CountedBackfill> {
      await get(by.organisationId, pipelineId, id);
      await backfills.change(by, id, (backfill) => cancelBackfill(backfill, clock.now()));
      return get(by.organisationId, pipelineId, id);
    },

    /** Of runs that have ended. What fails is done by the sweep. */
    ended(organisationId: string, ended: readonly Pick<Run, 'backfillId'>[]): void {
      const ids = new Set(ended.flatMap(({ backfillId }) => backfillId ?? []));
      for (const id of ids) later(() => advance({ organisationId, id }));
    },

    /** What goes on, also of processes that have died, and the end of what was cancelled. */
    async sweep(): Promise<void> {
      for (let after = ''; ;) {
        const found = await backfills.open(after, AT_ONCE);
        await inParallel(found, { atOnce: ADVANCED_AT_ONCE }, (one) => loggingFailure(() => advance(one)));
        after = found.at(-1)?.id ?? '';
        if (found.length < AT_ONCE) break;
      }
      await inParallel(
        await backfills.unwantedRuns(AT_ONCE),
        { atOnce: ADVANCED_AT_ONCE },
        ({ organisationId, runId }) => loggingFailure(() => cancelRun(organisationId, runId)),
      );
    },

    /** As old as runs are kept. */
    async removeOld(retentionDays: number, stopping: AbortSignal): Promise<void> {
      const before = new Date(clock.now().getTime() - retentionDays * 86_400_000);
      while (!stopping.aborted && (await backfills.removeEnded(before)) > 0);
    },

    hasOpen: (): Promise<boolean> => backfills.hasOpen(),
  };
}
