import {
  DomainError,
  inParallel,
  isUnavailable,
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
import { awaitedRunIds, childRunId, parametersOf, pipelinesAbove } from '../domain/child-run.ts';
import type { RunOfOrganisation, StepAttempt } from '../domain/run-engine.ts';
import { dueSteps, isOver, type Run, type RunOutput } from '../domain/run.ts';
import type { RunWithChildren, Runs, RunSweeps } from '../domain/runs.ts';
import type { StartedRun } from './runs.ts';
import { skippedEnd } from './step-work.ts';

export interface ChildRunPorts {
  readonly runs: Pick<Runs, 'findMany' | 'change'>;
  readonly sweeps: Pick<RunSweeps, 'withChildren' | 'orphans'>;
  readonly findVersion: (organisationId: string, pipelineId: string, versionId: string) => Promise<PipelineVersion>;
  readonly datasets: DatasetReferences;
  readonly start: (payer: Payer, wanted: StartedRun) => Promise<unknown>;
  readonly cancel: (organisationId: string, runId: string) => Promise<void>;
  readonly submit: (organisationId: string, runs: readonly Run[]) => void;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly logger: Pick<Logger, 'warn'>;
}

export type ChildRuns = ReturnType<typeof childRuns>;

/** Runs that are read together. */
const AT_ONCE = 200;
/** Each may wait for as many as it has steps, which are read with it. */
const PARENTS_AT_ONCE = 20;
/** Of them so many are looked after side by side: changes for one organisation at the same time are one transaction. */
const TENDED_AT_ONCE = 16;
const never = new AbortController().signal;

/**
 * Runs that steps of other runs start and wait for. Nobody holds a place meanwhile: what has ended is noticed by whoever ends it, and by a sweep where
 * that process died. The id of a child is made of the attempt, so that there is one whoever starts it.
 */
export function childRuns(ports: ChildRunPorts) {
  const { runs, sweeps, findVersion, datasets, start, cancel, submit, clock, newId, logger } = ports;

  const byOf = (organisationId: string) => serviceActorContext('pipelines', organisationId, newId());

  /** What is due of these steps: begins them, starts their runs again should these be missing, and ends what has ended. */
  async function tend({ organisationId, run, children }: RunWithChildren): Promise<void> {
    if (isOver(run)) return;
    const due = new Set(dueSteps(run, clock.now()));
    for (const [stepIndex, { startsRun, status, attempt }] of run.steps.entries()) {
      if (!startsRun) continue;
      if (due.has(stepIndex)) await begin(organisationId, run, stepIndex);
      else if (status === 'Running') {
        const at = { organisationId, runId: run.id, stepIndex, attempt };
        await look(run, at, children.get(childRunId(at)));
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
    inParallel(all, TENDED_AT_ONCE, never, (of) => quietly(() => tend(of)));

  async function begin(organisationId: string, run: Run, stepIndex: number): Promise<void> {
    const begun = await runs.change(byOf(organisationId), run.id, (found) => {
      const at = clock.now();
      // Somebody else may have begun it meanwhile, so that it is to wait until it is tried again.
      if (!dueSteps(found, at).includes(stepIndex))
        return { ...unchanged(found), result: { run: found, attempt: undefined } };
      const { result: attempt, ...decision } = beginStep(found, stepIndex, { worker: null, at });
      return { ...decision, result: { run: decision.state, attempt } };
    });
    if (begun.attempt !== undefined)
      await startChild(begun.run, { organisationId, runId: run.id, stepIndex, attempt: begun.attempt });
  }

  async function startChild(run: Run, at: StepAttempt): Promise<void> {
    const version = await findVersion(at.organisationId, run.pipelineId, run.versionId);
    const config = configIn(version, at);
    const counted = config.when.length === 0 ? [] : config.inputDatasets;
    const skip = skippedEnd(config, run, version, await datasets.findMany(at.organisationId, counted));
    if (skip) return finish(at, skip);
    const { query, pipelineVersionId } = config;
    const parameters = parametersOf(run, config);
    // However somebody has written it: runs have it in small letters.
    const pipelineId = query.toLowerCase();
    const above = pipelinesAbove(run);
    if (above.includes(pipelineId))
      return finish(at, failed('pipeline_cycle', 'A run of this pipeline waits for this one'));
    if (above.length >= MAX_CHAIN)
      return finish(at, failed('too_deep', `More than ${MAX_CHAIN} runs would wait for each other`));
    const { startedBy: actor, requestId, clientGroupId } = run;
    const payer = {
      organisationId: at.organisationId,
      actor,
      requestId: requestId ?? run.id,
      clientGroupId: clientGroupId ?? undefined,
    };
    const parent = { pipelineId: run.pipelineId, runId: run.id, stepIndex: at.stepIndex, attempt: at.attempt, above };
    const versionId = pipelineVersionId ?? undefined;
    try {
      await start(payer, { runId: childRunId(at), pipelineId, versionId, trigger: 'PIPELINE', parent, parameters });
    } catch (error) {
      // Whoever looks next tries again.
      if (!(error instanceof DomainError) || isUnavailable(error)) throw error;
      await finish(at, failed(error.code, `The run could not be started: ${error.message}`));
    }
  }

  async function look(run: Run, at: StepAttempt, child: Run | undefined): Promise<void> {
    if (run.status === 'Cancelling') {
      if (child && !isOver(child)) return cancel(at.organisationId, child.id);
      return finish(at, { outcome: 'ERROR', message: 'The run was cancelled', seconds: 0 });
    }
    if (!child) return startChild(run, at);
    if (isOver(child)) return finish(at, await endOf(run, child, at));
    const { startedAt, timeLimitSeconds } = run.steps[at.stepIndex] ?? {};
    const ranMs = clock.now().getTime() - (startedAt?.getTime() ?? Infinity);
    if (ranMs < (timeLimitSeconds ?? Infinity) * 1000) return undefined;
    await cancel(at.organisationId, child.id);
    return finish(at, failed('timed_out', `The run ${child.id} took longer than ${timeLimitSeconds} s`));
  }

  async function endOf(run: Run, child: Run, at: StepAttempt): Promise<StepEnd> {
    if (child.status !== 'Succeeded') {
      const why = child.message === '' ? '' : `: ${child.message}`;
      return failed('run_failed', `The run ${child.id} ended as ${child.status}${why}`);
    }
    const { outputDatasets } = configIn(await findVersion(at.organisationId, run.pipelineId, run.versionId), at);
    const made = child.steps.flatMap((step) => step.outputs);
    const outputs: RunOutput[] = [];
    for (const reference of outputDatasets) {
      const output = made.findLast(
        ({ name, datasetId }) => datasetId === reference || sameName(name) === sameName(reference),
      );
      if (!output) return failed('no_output', `The run ${child.id} has made no dataset ${reference}`);
      outputs.push(output);
    }
    return { outcome: 'SUCCEEDED', outputs, inputVersionIds: [], seconds: 0 };
  }

  async function finish(at: StepAttempt, end: StepEnd): Promise<void> {
    const { organisationId, runId, stepIndex, attempt } = at;
    const run = await runs.change(byOf(organisationId), runId, (found) =>
      finishStep(found, { stepIndex, attempt, end, at: clock.now() }),
    );
    if (!isOver(run)) submit(organisationId, [run]);
  }

  async function quietly(work: () => Promise<unknown>): Promise<void> {
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
      quietly(async () => tendAll(await withChildren(organisationId, [run]))),

    /** Tells those that wait for these, which have ended. */
    ended: (organisationId: string, ended: readonly Run[]): Promise<void> =>
      quietly(async () => {
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
      await inParallel(await sweeps.orphans(AT_ONCE), TENDED_AT_ONCE, never, ({ organisationId, runId }) =>
        quietly(() => cancel(organisationId, runId)),
      );
    },
  };
}

const failed = (code: string, message: string): StepEnd => ({
  ...{ outcome: 'FAILED', code, message, failedRows: [], inputVersionIds: [], seconds: 0 },
});

const configIn = ({ steps }: PipelineVersion, { stepIndex }: StepAttempt): StepConfig =>
  (steps[stepIndex] as PipelineVersion['steps'][number]).config;
