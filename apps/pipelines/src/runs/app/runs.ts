import {
  type ActorContext,
  type Clock,
  followRevisions,
  invalidField,
  keyReused,
  type Logger,
  type Page,
  type PageRequest,
  type Revision,
  snapshots,
} from '@platform-backend/core';
import type { Credits, Payer } from '../../credits/domain/credits.ts';
import type { Datasets } from '../../datasets/domain/datasets.ts';
import type { NotifiedRecipient } from '../../notifications/domain/notification.ts';
import { archivedPipeline, type Pipeline, type PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import type { Pipelines } from '../../pipelines/domain/pipelines.ts';
import { tagsOf } from '../../pipelines/domain/tags.ts';
import type { Kernels } from '../../steps/domain/kernel-job.ts';
import { startValues } from '../../steps/domain/parameters.ts';
import { makersOf } from '../../steps/domain/step-graph.ts';
import { ENGINE_VERSION, engineVersionOf, needsKernel, sameName } from '../../steps/domain/step.ts';
import { waitReason } from '../domain/admission.ts';
import { newerReplicaNeeded, noVersion, runOutputGone } from '../domain/errors.ts';
import { newRun, refusedRun, retriedRun, type RunInput } from '../domain/new-run.ts';
import { parametersToStart } from '../domain/parameters-to-start.ts';
import type { RunEngine } from '../domain/run-engine.ts';
import {
  highestMicros,
  isOver,
  keptVersionIds,
  owedMicros,
  type Run,
  type RunStatus,
  type RunTrigger,
} from '../domain/run.ts';
import type { RunFilter, Runs, RunsChanged, StoredLogLine, WholeRun } from '../domain/runs.ts';
import { workflowName } from '../domain/workflow-manifest.ts';
import { interruptRuns } from './interrupt-runs.ts';

export interface RunPorts {
  readonly pipelines: Pick<Pipelines, 'get' | 'getForRun'>;
  /** They never change. */
  readonly findVersion: Pipelines['getVersion'];
  readonly datasets: Pick<Datasets, 'findVersions'>;
  readonly runs: Runs;
  readonly engine: Pick<RunEngine, 'submit' | 'cancel'>;
  /** The name of the engine that gets a run. */
  readonly engineFor: (organisationId: string, version: PipelineVersion) => string;
  /** Undefined where there are no kernels; a step that needs one then says so. */
  readonly kernels: Pick<Kernels, 'checkAccess'> | undefined;
  readonly credits: Pick<Credits, 'hold' | 'release'>;
  readonly microsPerStepSecond: bigint;
  /** Whoever waits for runs that have ended. */
  readonly onEnded: (organisationId: string, ended: readonly Run[]) => void;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

export interface StartedRun {
  /** The same one for every repetition of a request. */
  readonly runId: string;
  readonly pipelineId: string;
  /** Absent: the current one. */
  readonly versionId?: string | undefined;
  readonly trigger: RunTrigger;
  readonly eventChain?: Run['eventChain'];
  /** The step that waits for it. */
  readonly parent?: Run['parent'];
  readonly parameters?: Run['parameters'];
  readonly backfillId?: string;
  /** Beside those of its pipeline. */
  readonly tags?: readonly string[];
}

export interface RetriedRun {
  readonly pipelineId: string;
  readonly failedId: string;
  /** Of the new run: the same one for every repetition of a request. */
  readonly id: string;
  /** The name of the step from which on it is done again. */
  readonly fromStep?: string | undefined;
}

/** A run with its position among those that wait; null unless it waits. */
export interface ShownRun extends WholeRun {
  readonly queuePosition: number | null;
  /** Why it ended as it did, or what it waits for. */
  readonly message: string;
}

/** With what became of telling its end. */
export interface ToldRun extends ShownRun {
  readonly notifications: readonly NotifiedRecipient[];
}

export interface LogFilter {
  /** The name of a step; empty: all. */
  readonly step: string;
}

export type RunUseCases = ReturnType<typeof runUseCases>;

const LINES_AT_ONCE = 500;

/** Its organisation and others take turns. */
const WAITS_FOR_STEP = 'It has its place, and its first step waits to be begun';

export function runUseCases(ports: RunPorts) {
  const {
    pipelines,
    findVersion,
    datasets,
    runs,
    engine,
    engineFor,
    kernels,
    credits,
    microsPerStepSecond,
    clock,
    logger,
  } = ports;

  const { cancel, interrupt, cancelChildren } = interruptRuns({ runs, engine, clock, logger });

  /** What could not be submitted is found and submitted by whoever looks for forgotten runs. */
  const submit = (organisationId: string, admitted: readonly Run[]): void => {
    if (admitted.length === 0) return;
    engine
      .submit(admitted.map((run) => ({ organisationId, run })))
      .catch((error: unknown) =>
        logger.warn({ event: 'runs.submission_failed', err: error }, 'runs could not be submitted, trying again later'),
      );
  };

  async function shown(organisationId: string, whole: WholeRun): Promise<ShownRun> {
    const { run } = whole;
    const waits = run.admittedAt === null && !isOver(run);
    if (waits) {
      const queue = await runs.queueStatus(organisationId, run);
      return { ...whole, queuePosition: queue.position, message: waitReason(queue) };
    }
    const waitsForStep = run.status === 'Pending' && run.startedAt === null;
    return { ...whole, queuePosition: null, message: waitsForStep ? WAITS_FOR_STEP : run.message };
  }

  const get = async (organisationId: string, pipelineId: string, runId: string): Promise<ShownRun> =>
    shown(organisationId, await runs.get(organisationId, pipelineId, runId));

  /** The run that a request has started already. INVALID: the key was used for another pipeline. */
  async function repeated(organisationId: string, { runId, pipelineId }: StartedRun): Promise<ShownRun | undefined> {
    const known = await runs.find(organisationId, runId);
    if (!known) return undefined;
    if (known.pipelineId !== pipelineId) throw keyReused();
    return get(organisationId, pipelineId, runId);
  }

  const wantedRun = (
    organisationId: string,
    { name, runTimeLimitSeconds, notificationSettings }: Pipeline,
    version: PipelineVersion,
    id: string,
  ): Omit<RunInput, 'trigger' | 'eventChain' | 'tags' | 'clientGroupId' | 'parent' | 'parameters' | 'backfillId'> => ({
    id,
    name: workflowName(name, id),
    engine: engineFor(organisationId, version),
    timeLimitSeconds: runTimeLimitSeconds,
    reservedMicros: highestMicros(version, microsPerStepSecond),
    notifies: notificationSettings.length > 0,
  });

  async function begin(payer: Payer, version: PipelineVersion, decision: ReturnType<typeof newRun>): Promise<ShownRun> {
    const { organisationId } = payer;
    const { id, reservedMicros } = decision.state;
    if (version.steps.some((step) => engineVersionOf(step) > ENGINE_VERSION)) throw newerReplicaNeeded();
    if (version.steps.some(needsKernel)) await kernels?.checkAccess(organisationId);
    if (reservedMicros > 0n) await credits.hold(payer, id, reservedMicros);
    return shown(organisationId, { run: await runs.add(payer, decision), version });
  }

  /** CONFLICT: a dataset was removed whose version a step reads that is kept. */
  async function requireKept(organisationId: string, run: Run, { steps }: PipelineVersion): Promise<void> {
    const makers = makersOf(steps);
    const inputsOf = (stepIndex: number): readonly number[] =>
      steps[stepIndex]?.config.inputDatasets.flatMap((input) => makers.get(sameName(input)) ?? []) ?? [];
    const versionIds = new Set(keptVersionIds(run, inputsOf));
    if (versionIds.size === 0) return;
    const found = await datasets.findVersions(organisationId, [...versionIds]);
    if (found.length < versionIds.size) throw runOutputGone();
  }

  /** The index of a step by its name; undefined: of all. NOT_FOUND is an empty log: no step has that name. */
  const stepIndexOf = ({ run }: WholeRun, { step }: LogFilter): number | undefined =>
    step === '' ? undefined : run.steps.findIndex(({ name }) => sameName(name) === sameName(step));

  return {
    /**
     * Starts a run. Repeating it with the same id answers the same run. CONFLICT: the pipeline is archived, or has no
     * version. NOT_PROVIDED: it needs kernels, which are not for this organisation here. PAYMENT_REQUIRED: too few credits.
     */
    async start(payer: Payer, wanted: StartedRun): Promise<ShownRun> {
      const { organisationId } = payer;
      const { pipeline, isKnown } = await pipelines.getForRun(organisationId, wanted.pipelineId, wanted.runId);
      const known = isKnown && (await repeated(organisationId, wanted));
      if (known) return known;
      if (pipeline.archived) throw archivedPipeline();
      const versionId = wanted.versionId ?? pipeline.currentVersionId;
      if (versionId === null) throw noVersion();
      const version = await findVersion(organisationId, pipeline.id, versionId);
      const { runId: id, trigger, eventChain = [], parent = null, backfillId = null } = wanted;
      const parameters = parametersToStart(version, pipeline, wanted);
      const tags = tagsOf(pipeline.tags, wanted.tags ?? []);
      const clientGroupId = payer.clientGroupId ?? null;
      const input = {
        ...wantedRun(organisationId, pipeline, version, id),
        trigger,
        eventChain,
        tags,
        clientGroupId,
        parent,
        parameters,
        backfillId,
      };
      return begin(payer, version, newRun(payer, version, input, clock.now()));
    },

    /**
     * Writes down a run that could not be started, where nobody waits for an answer. What has no version, or is archived,
     * has no such runs.
     */
    async refuse(
      by: ActorContext,
      { runId, pipelineId, trigger, eventChain = [] }: StartedRun,
      reason: string,
    ): Promise<void> {
      const { organisationId } = by;
      const pipeline = await pipelines.get(organisationId, pipelineId);
      if (pipeline.archived || pipeline.currentVersionId === null) return;
      const version = await findVersion(organisationId, pipeline.id, pipeline.currentVersionId);
      const input = wantedRun(organisationId, pipeline, version, runId);
      // As it was given, whether or not it suits: whoever does it again hears.
      const parameters = { ...startValues(version.parameters, {}).values, ...pipeline.scheduleParameters };
      const unpaid = { reservedMicros: 0n, clientGroupId: null, parent: null, parameters, backfillId: null };
      const wanted = { ...input, ...unpaid, trigger, eventChain, tags: pipeline.tags };
      await runs.add(by, refusedRun(by, version, wanted, reason, clock.now()));
    },

    /**
     * Starts a run that keeps what has succeeded in this one, but for a step by its name and what waits for it, if one is given. As `start`.
     * CONFLICT: it is not over, has succeeded and no step is given, or what would be kept is gone. INVALID: no step has this name.
     */
    async retry(payer: Payer, { pipelineId, failedId, id, fromStep }: RetriedRun): Promise<ShownRun> {
      const { organisationId } = payer;
      const { run: failed, version } = await runs.get(organisationId, pipelineId, failedId);
      const known = await repeated(organisationId, { runId: id, pipelineId, trigger: 'RETRY' });
      if (known) return known;
      const pipeline = await pipelines.get(organisationId, pipelineId);
      if (pipeline.archived) throw archivedPipeline();
      const clientGroupId = payer.clientGroupId ?? null;
      const again = { clientGroupId, fromStep: stepNamed(failed, fromStep) };
      const wanted = { ...wantedRun(organisationId, pipeline, version, id), ...again };
      const { state, ...decision } = retriedRun(payer, failed, wanted, clock.now());
      // As a step gives them: it may have been started by one, with values of its steps beside.
      const parameters = parametersToStart(version, pipeline, { trigger: 'PIPELINE', parameters: failed.parameters });
      await requireKept(organisationId, state, version);
      // What is kept is not paid for again.
      const run = { ...state, parameters, reservedMicros: highestMicros(version, microsPerStepSecond, state) };
      return begin(payer, version, { ...decision, state: run });
    },

    /** Asks for its end, which comes within ten seconds. */
    async cancel(by: ActorContext, pipelineId: string, runId: string): Promise<ShownRun> {
      const { organisationId } = by;
      await runs.get(organisationId, pipelineId, runId);
      await cancel(by, runId);
      return get(organisationId, pipelineId, runId);
    },

    /** Cancels what the schedule of a pipeline has started that is not over, but for this run. */
    async cancelScheduled(by: ActorContext, pipelineId: string, except: string): Promise<void> {
      const { organisationId } = by;
      for (const runId of await runs.scheduledNotOver(organisationId, pipelineId)) {
        if (runId !== except) await cancel(by, runId);
      }
    },

    async get(organisationId: string, pipelineId: string, runId: string): Promise<ToldRun> {
      const found = await get(organisationId, pipelineId, runId);
      const isTold = found.run.notifies && isOver(found.run);
      return { ...found, notifications: isTold ? await runs.notificationsOf(organisationId, runId) : [] };
    },

    list: (organisationId: string, pipelineId: string, filter: RunFilter, page: PageRequest): Promise<Page<WholeRun>> =>
      runs.list(organisationId, pipelineId, filter, page),

    /** How far these are, by their ids; of those that are there. */
    async statusesOf(organisationId: string, runIds: readonly string[]): Promise<ReadonlyMap<string, RunStatus>> {
      const found = runIds.length === 0 ? [] : await runs.findMany(organisationId, runIds);
      return new Map(found.map(({ id, status }) => [id, status]));
    },

    async listLog(
      organisationId: string,
      pipelineId: string,
      runId: string,
      filter: LogFilter,
      page: PageRequest,
    ): Promise<WholeRun & { readonly page: Page<StoredLogLine> }> {
      const whole = await runs.get(organisationId, pipelineId, runId);
      return { ...whole, page: await runs.listLog(organisationId, runId, stepIndexOf(whole, filter), page) };
    },

    /** The run now, and after each change, until it is over. */
    watch: (
      organisationId: string,
      pipelineId: string,
      runId: string,
      { known, signal }: { readonly known: string; readonly signal: AbortSignal },
    ): AsyncIterable<Revision<ShownRun>> =>
      followRevisions({
        look: () => get(organisationId, pipelineId, runId),
        revisionOf: shownRevisionOf,
        isOver: ({ run }) => isOver(run),
        notice: () => runs.noticeOf(organisationId, runId),
        known,
        signal,
      }),

    /** Lines after this one as they come, with the run; until it is over and all is told. */
    async *followLog(
      organisationId: string,
      pipelineId: string,
      runId: string,
      { step, after, signal }: LogFilter & { readonly after: string; readonly signal: AbortSignal },
    ): AsyncGenerator<{ readonly run: Run; readonly lines: readonly StoredLogLine[]; readonly isLast: boolean }> {
      let position = after;
      // Asked before the lines: what is over writes no more.
      const notice = () => runs.noticeOfLog(organisationId, runId);
      for await (const whole of snapshots(() => runs.get(organisationId, pipelineId, runId), { signal, notice })) {
        const stepIndex = stepIndexOf(whole, { step });
        for (let isMore = true; isMore && !signal.aborted;) {
          const lines = await runs.logAfter(organisationId, runId, stepIndex, position, LINES_AT_ONCE);
          position = lines.at(-1)?.id ?? position;
          isMore = lines.length === LINES_AT_ONCE;
          const isLast = isOver(whole.run) && !isMore;
          if (lines.length > 0 || isLast) yield { run: whole.run, lines, isLast };
          if (isLast) return;
        }
      }
    },

    /** What follows from changes, whoever made them. */
    followUp({ organisationId, admitted, ended }: RunsChanged): void {
      ports.onEnded(organisationId, ended);
      submit(organisationId, admitted);
      for (const run of ended)
        if (run.reservedMicros > 0n && owedMicros(run, microsPerStepSecond) === 0n)
          void credits.release(organisationId, run.id);
    },

    submit,
    interrupt,
    cancelChildren,
  };
}

/** The index of a step by its name. INVALID: there is none. */
function stepNamed({ steps }: Run, name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  const stepIndex = steps.findIndex((step) => sameName(step.name) === sameName(name));
  if (stepIndex >= 0) return stepIndex;
  throw invalidField(['body', 'from_step'], 'no step has this name', name);
}

/** The same only as long as nothing has changed, its position among those that wait included. */
const shownRevisionOf = ({ run, queuePosition }: Pick<ShownRun, 'run' | 'queuePosition'>): string =>
  [
    isOver(run) ? run.status.toLowerCase() : 'run',
    run.changes,
    ...(queuePosition === null ? [] : [queuePosition]),
  ].join('-');
