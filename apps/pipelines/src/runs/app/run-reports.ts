import { unchanged, type Clock, type Decision, serviceActorContext } from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import { beginStep, type Beginning } from '../domain/change-run.ts';
import type { BegunStep, RunReports } from '../domain/run-engine.ts';
import { dueSteps, type Run } from '../domain/run.ts';
import type { Runs } from '../domain/runs.ts';

export interface ReportPorts {
  readonly runs: Runs;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** The attempt that began, with the run as it is then. */
interface BegunPlace {
  readonly run: Run;
  readonly place: number;
  readonly attempt: number | undefined;
}

/** What engines report, recorded. */
export function runReports({ runs, clock, newId }: ReportPorts): RunReports {
  const begunOf = (organisationId: string, { run, place, attempt }: BegunPlace): BegunStep | undefined =>
    attempt === undefined ? undefined : { at: { organisationId, runId: run.id, place, attempt }, run };

  return {
    async stepStarted({ organisationId, runId, place }, worker) {
      const beginning = { worker, at: clock.now() };
      const by = serviceActorContext('pipelines', organisationId, newId());
      return begunOf(organisationId, await runs.change(by, runId, (run) => begin(run, place, beginning)));
    },

    stepLogged: (at, lines) => runs.appendLog(at, lines),

    async stepFinished(at, end, goOnAs) {
      const { organisationId } = at;
      const when = clock.now();
      const by = serviceActorContext('pipelines', organisationId, newId());
      const progress = await runs.finishStep(by, { at, end, when }, (run) => {
        const [next] = dueSteps(run, when);
        if (goOnAs === undefined || next === undefined) return { ...unchanged(run), result: nothing(run) };
        return begin(run, next, { worker: goOnAs, at: when });
      });
      const { run } = progress;
      return { run, ready: dueSteps(run, when), begun: begunOf(organisationId, progress) };
    },
  };
}

function begin(run: Run, place: number, beginning: Beginning): Decision<Run, PipelinesEvent, BegunPlace> {
  const { state, events, result: attempt } = beginStep(run, place, beginning);
  return { state, events, result: { run: state, place, attempt } };
}

const nothing = (run: Run): BegunPlace => ({ run, place: 0, attempt: undefined });
