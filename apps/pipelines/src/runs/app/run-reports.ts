import { newId, serviceActorContext, unchanged, type Clock, type Decision } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import { beginStep, waitStep, type Beginning } from '../domain/change-run.ts';
import type { BegunStep, RunReports } from '../domain/run-engine.ts';
import { dueStepsOf, type Run } from '../domain/run.ts';
import type { Runs } from '../domain/runs.ts';

export interface ReportPorts {
  readonly runs: Runs;
  readonly clock: Clock;
}

/** The attempt that began, with the run as it is then. */
interface Begun {
  readonly run: Run;
  readonly stepIndex: number;
  readonly attempt: number | undefined;
}

/** What engines report, recorded. */
export function runReports({ runs, clock }: ReportPorts): RunReports {
  const begunOf = (organisationId: string, { run, stepIndex, attempt }: Begun): BegunStep | undefined =>
    attempt === undefined ? undefined : { at: { organisationId, runId: run.id, stepIndex, attempt }, run };

  return {
    async stepStarted({ organisationId, runId, stepIndex }, worker) {
      const beginning = { worker, at: clock.now() };
      const by = serviceActorContext('pipelines', organisationId, newId());
      return begunOf(organisationId, await runs.change(by, runId, (run) => begin(run, stepIndex, beginning)));
    },

    async stepWaiting({ organisationId, runId, stepIndex }, message) {
      const by = serviceActorContext('pipelines', organisationId, newId());
      return runs.change(by, runId, (run) => {
        const decision = waitStep(run, stepIndex, message);
        return { ...decision, result: decision.state };
      });
    },

    stepLogged: (at, lines) => runs.appendLog(at, lines),

    async stepFinished(at, end, goOnAs) {
      const { organisationId } = at;
      const when = clock.now();
      const by = serviceActorContext('pipelines', organisationId, newId());
      const progress = await runs.finishStep(by, { at, end, when }, (run) => {
        const ended = run.steps[at.stepIndex];
        // Whoever has a place for the one kind of step has none for the other.
        const [next] = ended ? dueStepsOf(run, ended, when) : [];
        if (goOnAs === undefined || next === undefined) return { ...unchanged(run), result: nothing(run) };
        return begin(run, next, { worker: goOnAs, at: when });
      });
      const { run } = progress;
      return { run, begun: begunOf(organisationId, progress) };
    },
  };
}

function begin(run: Run, stepIndex: number, beginning: Beginning): Decision<Run, PipelinesEvent, Begun> {
  const { state, events, result: attempt } = beginStep(run, stepIndex, beginning);
  return { state, events, result: { run: state, stepIndex, attempt } };
}

const nothing = (run: Run): Begun => ({ run, stepIndex: 0, attempt: undefined });
