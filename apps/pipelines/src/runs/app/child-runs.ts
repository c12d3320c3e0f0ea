import {
  DomainError,
  inParallel,
  isUnavailable,
  newId,
  serviceActorContext,
  unchanged,
  type Clock,
  type Logger,
} from '@platform-backend/core';
import type { Payer } from '../../credits/domain/credits.ts';
import type { DatasetReferences } from '../../datasets/domain/datasets.ts';
import { MAX_CHAIN } from '../../pipelines/domain/pipeline-chain.ts';
import type { PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import { sameName, type StepConfig } from '../../steps/domain/step.ts';
import { beginStep, finishStep, type StepEnd } from '../domain/change-run.ts';
import { awaitedRunIds, childRunIds, parametersOfChild, pipelinesAbove } from '../domain/child-run.ts';
import type { RunOfOrganisation, StepAttempt } from '../domain/run-engine.ts';
import { dueSteps, isOver, type Run, type RunOutput, type RunStep } from '../domain/run.ts';
import type { RunWithChildren, Runs, RunSweeps } from '../domain/runs.ts';
import type { StartedRun } from './runs.ts';
import { skippedEnd } from './step-work.ts';

export interface ChildRunPorts {
  readonly runs: Pick<Runs, 'findMany' | 'change'>;
  readonly sweeps: Pick<RunSweeps, 'withChildren' | 'orphans'>;
  readonly findVersion: (organisationId: string, pipelineId: string, versionId: string) => Promise<PipelineVersion>;
  readonly datasets: DatasetReferences;
  readonly start: (payer: Payer, wanted: StartedRun) => Promise<unknown>;
  readonly cancel: (organisationId: string, runIds: readonly string[]) => Promise<void>;
  readonly submit: (organisationId: string, runs: readonly Run[]) => void;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

export type ChildRuns = ReturnType<typeof childRuns>;

/** Runs that are read together. */
const AT_ONCE = 200;
/** Each may wait for several runs of each of its steps, which are read with it. */
const PARENTS_AT_ONCE = 10;
/** Of them so many are looked after side by side: changes for one organisation at the same time are one transaction. */
const TENDED_AT_ONCE = 16;
/**
 * Runs that steps of other runs start and wait for. Nobody holds a place meanwhile: what has ended is noticed by whoever ends it, and by a sweep where
 * that process died. The id of a child is made of the attempt, and its value where there are several, so that there is one whoever starts it.
 */
export function childRuns(ports: ChildRunPorts) {
  const { runs, sweeps, findVersion, datasets, start, cancel, submit, clock, logger } = ports;

  const byOf = (organisationId: string) => serviceActorContext('pipelines', organisationId, newId());

  /** What is due of these steps: begins them, starts their runs again should these be missing, and ends what has ended. */
  async function tend({ organisationId, run, children }: RunWithChildren): Promise<void> {
    if (isOver(run)) return;
    const due = new Set(dueSteps(run, clock.now()));
    for (const [stepIndex, step] of run.steps.entries()) {
      if (!step.startsRun) continue;
      if (due.has(stepIndex)) await begin(organisationId, run, stepIndex);
      else if (step.status === 'Running') {
        const at = { organisationId, runId: run.id, stepIndex, attempt: step.attempt };
        const started = childRunIds(at, step).map((id) => children.get(id));
        await look(run, at, started);
      }
    }
  }

  /** With the runs that these wait for, all of one organisation. */
  async function withChildren(organisationId: string, parents: readonly Run[]): Promise<readonly RunWithChildren[]> {
    const ids = parents.flatMap((run) => awaitedRunIds({ organisationId, run }));
    const found = ids.length === 0 ? [] : await runs.findMany(organisationId, ids);
    const children = new Map(found.map((child) => [child.id, child]));
    return parents.map((run) => ({ organisationId, run, children }));
  }

  const tendAll = (all: readonly RunWithChildren[]): Promise<void> =>
    inParallel(all, { atOnce: TENDED_AT_ONCE }, (of) => loggingFailure(() => tend(of)));

  async function begin(organisationId: string, run: Run, stepIndex: number): Promise<void> {
    const begun = await runs.change(byOf(organisationId), run.id, (found) => {
      const at = clock.now();
      // Somebody else may have begun it meanwhile, so that it is to wait until it is tried again.
      if (!dueSteps(found, at).includes(stepIndex))
        return { ...unchanged(found), result: { run: found, attempt: undefined } };
      const { result: attempt, ...decision } = beginStep(found, stepIndex, { worker: null, at });
      return { ...decision, result: { run: decision.state, attempt } };
    });
    if (begun.attempt === undefined) return;
    const at = { organisationId, runId: run.id, stepIndex, attempt: begun.attempt };
    const none = childRunIds(at, runStepAt(begun.run, at)).map(() => undefined);
    await startMissing(begun.run, at, none);
  }

  /** Starts what is not there of its children, as far as they may go on by now. */
  async function startMissing(run: Run, at: StepAttempt, children: Children): Promise<void> {
    const { forEach } = runStepAt(run, at);
    const room = (forEach?.concurrency ?? 1) - goingOn(children).length;
    const missing = [...children.keys()].filter((index) => !children[index]).slice(0, Math.max(room, 0));
    if (missing.length === 0) return undefined;
    const version = await findVersion(at.organisationId, run.pipelineId, run.versionId);
    const config = configIn(version, at);
    if (children.every((child) => !child)) {
      const counted = config.when.length === 0 ? [] : config.inputDatasets;
      const skip = skippedEnd(config, run, version, await datasets.findMany(at.organisationId, counted));
      if (skip) return finish(at, skip);
    }
    // However somebody has written it: runs have it in small letters.
    const pipelineId = config.query.toLowerCase();
    const above = pipelinesAbove(run);
    if (above.includes(pipelineId))
      return finish(at, failed('pipeline_cycle', 'A run of this pipeline waits for this one'));
    if (above.length >= MAX_CHAIN)
      return finish(at, failed('too_deep', `More than ${MAX_CHAIN} runs would wait for each other`));
    const ids = childRunIds(at, { forEach });
    const refusals = await Promise.all(
      missing.map((index) => {
        const parameters = parametersOfChild(run, config, index);
        return startChild(run, at, { runId: ids[index] as string, pipelineId, above, config, parameters });
      }),
    );
    const refusal = refusals.find((one) => one !== undefined);
    if (!refusal) return undefined;
    // The others with it, whether they were there or have just come to be.
    await cancel(at.organisationId, ids);
    return finish(at, failed(refusal.code, `The run could not be started: ${refusal.message}`));
  }

  /** Why it could not be started. Rejects where whoever looks next tries again. */
  async function startChild(
    run: Run,
    at: StepAttempt,
    { config, above, ...child }: NewChild,
  ): Promise<DomainError | undefined> {
    const { startedBy: actor, requestId, clientGroupId } = run;
    const payer = {
      organisationId: at.organisationId,
      actor,
      requestId: requestId ?? run.id,
      clientGroupId: clientGroupId ?? undefined,
    };
    try {
      await start(payer, {
        ...child,
        versionId: config.pipelineVersionId ?? undefined,
        trigger: 'PIPELINE',
        parent: {
          ...{ pipelineId: run.pipelineId, runId: run.id, stepIndex: at.stepIndex, attempt: at.attempt },
          above,
        },
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof DomainError) || isUnavailable(error)) throw error;
      return error;
    }
  }

  async function look(run: Run, at: StepAttempt, children: Children): Promise<void> {
    const unfinished = goingOn(children);
    const stop = () =>
      cancel(
        at.organisationId,
        unfinished.map(({ id }) => id),
      );
    if (run.status === 'Cancelling') {
      if (unfinished.length > 0) return stop();
      return finish(at, { outcome: 'ERROR', message: 'The run was cancelled', seconds: 0 });
    }
    const lost = children.find((child) => child && isOver(child) && child.status !== 'Succeeded');
    if (lost) {
      await stop();
      const why = lost.message === '' ? '' : `: ${lost.message}`;
      return finish(at, failed('run_failed', `The run ${lost.id} ended as ${lost.status}${why}`));
    }
    const ended = children.flatMap((child) => (child && isOver(child) ? [child] : []));
    if (ended.length === children.length) return finish(at, await endOf(run, ended, at));
    const { startedAt, timeLimitSeconds } = runStepAt(run, at);
    const ranMs = clock.now().getTime() - (startedAt?.getTime() ?? Infinity);
    if (ranMs < (timeLimitSeconds ?? Infinity) * 1000) return startMissing(run, at, children);
    await stop();
    const { id = '' } = unfinished[0] ?? {};
    const what = children.length === 1 ? `The run ${id}` : `Its ${children.length} runs`;
    return finish(at, failed('timed_out', `${what} took longer than ${timeLimitSeconds} s`));
  }

  /** Of what its runs have made, all of which have succeeded. */
  async function endOf(run: Run, children: readonly Run[], at: StepAttempt): Promise<StepEnd> {
    const { outputDatasets, forEach } = configIn(
      await findVersion(at.organisationId, run.pipelineId, run.versionId),
      at,
    );
    const made = children.flatMap((child) => child.steps.flatMap((step) => step.outputs));
    const outputs: RunOutput[] = [];
    for (const reference of outputDatasets) {
      const output = made.findLast(
        ({ name, datasetId }) => datasetId === reference || sameName(name) === sameName(reference),
      );
      if (!output) {
        const which = children.length === 1 ? `The run ${children[0]?.id} has` : 'Its runs have';
        return failed('no_output', `${which} made no dataset ${reference}`);
      }
      outputs.push(output);
    }
    const latest = forEach ? await latestOf(at.organisationId, outputs) : outputs;
    return { outcome: 'SUCCEEDED', outputs: latest, inputVersionIds: [], seconds: 0 };
  }

  /** As those have left them that came last, whichever these were: each may have added to what the others have made. */
  async function latestOf(organisationId: string, outputs: readonly RunOutput[]): Promise<readonly RunOutput[]> {
    const found = await datasets.findMany(
      organisationId,
      outputs.map(({ datasetId }) => datasetId),
    );
    return outputs.map((output) => {
      const { currentVersion } = found.get(output.datasetId) ?? {};
      if (!currentVersion) return output;
      const { id: datasetVersionId, objectKey, rows, bytes } = currentVersion;
      return { ...output, datasetVersionId, objectKey, rows, bytes };
    });
  }

  async function finish(at: StepAttempt, end: StepEnd): Promise<void> {
    const { organisationId, runId, stepIndex, attempt } = at;
    const run = await runs.change(byOf(organisationId), runId, (found) =>
      finishStep(found, { stepIndex, attempt, end, at: clock.now() }),
    );
    if (!isOver(run)) submit(organisationId, [run]);
  }

  async function loggingFailure(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      logger.warn(
        { event: 'run.child_not_tended', err: error },
        'a run that another one waits for could not be looked after, trying again later',
      );
    }
  }

  return {
    /** Of a run that has such steps. Never rejects: what fails is done by the sweep. */
    tend: ({ organisationId, run }: RunOfOrganisation): Promise<void> =>
      loggingFailure(async () => tendAll(await withChildren(organisationId, [run]))),

    /** Tells those that wait for these, which have ended. */
    ended: (organisationId: string, ended: readonly Run[]): Promise<void> =>
      loggingFailure(async () => {
        const ids = new Set(ended.flatMap(({ parent }) => parent?.runId ?? []));
        if (ids.size === 0) return;
        await tendAll(await withChildren(organisationId, await runs.findMany(organisationId, [...ids])));
      }),

    /** Does what processes have left that died: a query for each page of them, and what is to be done side by side. */
    async sweep(): Promise<void> {
      for (let after = ''; ;) {
        const found = await sweeps.withChildren(after, PARENTS_AT_ONCE);
        await tendAll(found);
        after = found.at(-1)?.run.id ?? '';
        if (found.length < PARENTS_AT_ONCE) break;
      }
      await inParallel(await sweeps.orphans(AT_ONCE), { atOnce: TENDED_AT_ONCE }, ({ organisationId, runId }) =>
        loggingFailure(() => cancel(organisationId, [runId])),
      );
    },
  };
}

/** The runs of an attempt, in the order of their values; undefined: not there. */
type Children = readonly (Run | undefined)[];

interface NewChild extends Required<Pick<StartedRun, 'runId' | 'pipelineId' | 'parameters'>> {
  readonly above: readonly string[];
  readonly config: StepConfig;
}

const goingOn = (children: Children): readonly Run[] =>
  children.flatMap((child) => (child && !isOver(child) ? [child] : []));

const runStepAt = ({ steps }: Run, { stepIndex }: StepAttempt): RunStep => steps[stepIndex] as RunStep;

const failed = (code: string, message: string): StepEnd => ({
  ...{ outcome: 'FAILED', code, message, failedRows: [], inputVersionIds: [], seconds: 0 },
});

const configIn = ({ steps }: PipelineVersion, { stepIndex }: StepAttempt): StepConfig =>
  (steps[stepIndex] as PipelineVersion['steps'][number]).config;
