import { describe, expect, it } from '@jest/globals';
import { step } from '../../steps/test/examples.ts';
import { noon, runOf, versionOf } from '../test/examples.ts';
import {
  again,
  begun,
  done,
  failed,
  finish,
  fork,
  line,
  lost,
  skipped,
  statuses,
  succeeded,
} from '../test/runs-going-on.ts';
import {
  beginStep,
  cancelRun,
  enforceCancelling,
  finishStep,
  loseWorkers,
  stopOverdue,
  type StepEnd,
} from './change-run.ts';
import { dueSteps, highestMicros, isOver, owedMicros, readySteps, type Run } from './run.ts';

/** When a run of `runOf` has had its time. */
const later = new Date(noon.getTime() + 3_600_000);
const after = (seconds: number) => new Date(noon.getTime() + seconds * 1000);
const [one, two, other] = ['worker one', 'worker two', 'worker three'];

describe('a run', () => {
  it('carries out one step after what it waits for, and is over with the last', () => {
    let run = line();
    const names: string[] = [];
    for (const stepIndex of [0, 1, 2]) {
      expect(readySteps(run)).toEqual([stepIndex]);
      const { state, events } = finish(begun(run, stepIndex), stepIndex, succeeded);
      run = state;
      names.push(...events.map(({ name }) => name));
    }
    expect(statuses(run)).toEqual(['Succeeded', 'Succeeded', 'Succeeded', 'Succeeded']);
    expect(names).toEqual(['run.step_finished', 'run.step_finished', 'run.step_finished', 'run.finished']);
  });

  it('begins nothing while it waits to be admitted', () => {
    const waiting = { ...line(), admittedAt: null };
    expect(readySteps(waiting)).toEqual([]);
    expect(beginStep(waiting, 0, { worker: one, at: noon }).result).toBeUndefined();
  });

  it('lets a step begin once', () => {
    const run = begun(line(), 0);
    expect(beginStep(run, 0, { worker: two, at: noon })).toMatchObject({ state: run, result: undefined });
  });

  it('begins nothing after a failure, waits for what runs, and says whose fault it is', () => {
    const run = done(begun(fork(), 1, two), 0, failed);
    expect(statuses(run)).toEqual(['Running', 'Failed', 'Running', 'Omitted']);
    const over = finish(run, 1, succeeded).state;
    expect(statuses(over)).toEqual(['Failed', 'Failed', 'Succeeded', 'Omitted']);
    expect(over.message).toBe('a: no such thing');
  });

  it('begins a step again whose worker was lost, and hears no more of that one', () => {
    const run = begun(line(), 0);
    const again = loseWorkers(run, (worker) => worker === one, noon).state;
    expect(readySteps(again)).toEqual([0]);
    const second = begun(again, 0, two);
    expect(finish(second, 0, succeeded, 1).state).toBe(second);
    expect(finish(second, 0, succeeded, 2).state.steps[0]?.status).toBe('Succeeded');
  });

  it('gives a step up that was lost three times', () => {
    let run = line();
    for (let losses = 1; losses <= 3; losses += 1) run = done(run, 0, lost);
    expect(statuses(run)).toEqual(['Error', 'Error', 'Omitted', 'Omitted']);
  });

  it('does not hold it against a step that its worker had to stop', () => {
    let run = line();
    for (let stops = 1; stops <= 5; stops += 1) run = done(run, 0, { outcome: 'RETURNED' });
    expect(readySteps(run)).toEqual([0]);
  });

  it('begins a step later, and says what it waits for, that cannot be had what it needs', () => {
    const postponed = { outcome: 'POSTPONED', message: 'Waits for a kernel' } as const;
    const waiting = finish(begun(fork(), 0), 0, postponed).state;
    expect(waiting.steps[0]).toMatchObject({ status: 'Pending', losses: 0, message: 'Waits for a kernel' });
    expect(readySteps(waiting)).toEqual([0, 1]);
    expect(dueSteps(waiting, after(9))).toEqual([1]);
    expect(beginStep(waiting, 0, { worker: two, at: after(9) })).toMatchObject({ state: waiting, result: undefined });
    expect(beginStep(waiting, 0, { worker: two, at: after(10) }).result).toBe(2);
  });

  it('lets a step wait longer each time it has to wait, a minute at most, and never gives it up', () => {
    let run = line();
    for (let count = 1; count <= 8; count += 1) {
      const at = run.steps[0]?.notBefore ?? noon;
      const { state } = beginStep(run, 0, { worker: one, at });
      run = finishStep(state, { stepIndex: 0, attempt: count, end: { outcome: 'POSTPONED', message: '' }, at }).state;
      const waits = (run.steps[0]?.notBefore?.getTime() ?? 0) - at.getTime();
      expect(waits / 1000).toBe([10, 20, 40][count - 1] ?? 60);
    }
  });
});

describe('a step with a retry policy', () => {
  const retryPolicy = {
    ...{ maximumAttempts: 3, initialIntervalSeconds: 10, backoffCoefficient: 2, maximumIntervalSeconds: 60 },
    nonRetryableErrorTypes: ['check_failed'],
  };
  const retried = () => runOf([step('a', ['r'], ['x'], { retryPolicy }), step('b', ['r'], ['y'])]);
  const fail = (run: Run, end: StepEnd = failed) => {
    const at = run.steps[0]?.notBefore ?? noon;
    const { state, result: attempt = 0 } = beginStep(run, 0, { worker: one, at });
    return finishStep(state, { stepIndex: 0, attempt, end, at });
  };

  it('is begun again after each pause, pays for each attempt, and fails as the last of them', () => {
    const first = fail(retried());
    expect(first.events).toEqual([]);
    expect(first.state.steps[0]).toMatchObject({
      ...{ status: 'Pending', failures: 1, message: 'no such thing', errorCode: 'query_failed' },
      notBefore: after(10),
    });
    expect(dueSteps(first.state, after(9))).toEqual([1]);
    const second = fail(first.state).state;
    expect(second.steps[0]?.notBefore).toEqual(after(30));
    const last = fail(second).state;
    expect(last.steps[0]).toMatchObject({ status: 'Failed', attempt: 3, failures: 3, seconds: 0.1 * 3 });
    expect(statuses(last)).toEqual(['Failed', 'Failed', 'Omitted']);
    expect(owedMicros(last, 1000n)).toBe(1000n);
  });

  it('says nothing more of a failure once an attempt has succeeded', () => {
    const run = fail(fail(retried()).state, succeeded).state;
    expect(run.steps[0]).toMatchObject({ status: 'Succeeded', errorCode: '', message: '', seconds: 0.5, failures: 1 });
  });

  it('is not begun again after a failure that it names, nor while another step has failed or the run shall end', () => {
    expect(fail(retried(), { ...failed, code: 'check_failed' }).state.steps[0]?.status).toBe('Failed');
    expect(fail(retried(), { ...failed, isFinal: true }).state.steps[0]?.status).toBe('Failed');
    const both = done(begun(retried(), 0), 1, failed);
    expect(statuses(finish(both, 0, failed).state)).toEqual(['Failed', 'Failed', 'Failed']);
    const waiting = fail(retried()).state;
    expect(statuses(cancelRun(waiting, noon).state)).toEqual(['Cancelled', 'Omitted', 'Omitted']);
  });

  it('counts losses apart from failures', () => {
    let run = fail(fail(retried(), lost).state, lost).state;
    run = fail(run).state;
    expect(run.steps[0]).toMatchObject({ status: 'Pending', losses: 2, failures: 1, attempt: 3 });
  });
});

describe('a step that is skipped', () => {
  it('has what waits for it go on, and its run succeed, which owes nothing for it', () => {
    const skippedOne = done(line(), 0, skipped);
    expect(readySteps(skippedOne)).toEqual([1]);
    expect(skippedOne.steps[0]).toMatchObject({ status: 'Skipped', message: skipped.message, outputs: [], seconds: 0 });
    const all = [1, 2].reduce((run, stepIndex) => done(run, stepIndex, skipped), skippedOne);
    expect(statuses(all)).toEqual(['Succeeded', 'Skipped', 'Skipped', 'Skipped']);
    expect(owedMicros(all, 1000n)).toBe(0n);
  });
});

describe('cancelling a run', () => {
  it('ends a run at once of which nothing runs, and tells both', () => {
    const { state, events } = cancelRun(line(), noon);
    expect(statuses(state)).toEqual(['Cancelled', 'Omitted', 'Omitted', 'Omitted']);
    expect(events.map(({ name }) => name)).toEqual(['run.cancelled', 'run.finished']);
  });

  it('waits for what runs, whose success counts for nothing', () => {
    const cancelling = cancelRun(begun(line(), 0), noon).state;
    expect(statuses(cancelling)).toEqual(['Cancelling', 'Running', 'Omitted', 'Omitted']);
    expect(statuses(finish(cancelling, 0, succeeded).state)).toEqual(['Cancelled', 'Error', 'Omitted', 'Omitted']);
  });

  it('ends a run at last whose steps say nothing', () => {
    const over = enforceCancelling(cancelRun(begun(line(), 0), noon).state, noon).state;
    expect(over.status).toBe('Cancelled');
    expect(finish(over, 0, succeeded).state).toBe(over);
  });

  it('changes nothing that is over or being cancelled', () => {
    const over = done(done(done(line(), 0), 1), 2);
    expect(cancelRun(over, noon)).toMatchObject({ state: over, events: [] });
    const cancelling = cancelRun(begun(line(), 0), noon).state;
    expect(cancelRun(cancelling, noon).state).toBe(cancelling);
  });
});

describe('what is set aside for a run', () => {
  it('is all the time of all attempts of its steps, but of none that is kept', () => {
    const retryPolicy = {
      ...{ maximumAttempts: 3, initialIntervalSeconds: 1, backoffCoefficient: 1, maximumIntervalSeconds: 1 },
      nonRetryableErrorTypes: [],
    };
    const steps = [step('a', [], ['x']), step('b', ['x'], ['y'], { timeLimitSeconds: 10, retryPolicy })];
    expect(highestMicros(versionOf(steps), 1000n)).toBe(90_000n);
    const kept = again(done(done(runOf(steps), 0), 1, { ...failed, isFinal: true }));
    expect(highestMicros(versionOf(steps), 1000n, kept)).toBe(30_000n);
  });
});

describe('what a run owes', () => {
  const owed = (run: Run) => owedMicros(run, 1000n);

  it('are the seconds that its steps ran, however they ended, rounded up once, but not those of a run that it goes on with', () => {
    const run = done(done(line(), 0), 1, { ...failed, seconds: 2.1 });
    expect(owed(run)).toBe(3000n);
    expect(owed(done({ ...again(run), admittedAt: noon }, 1))).toBe(1000n);
  });

  it('is no more than what was set aside for it', () => {
    expect(owed({ ...done(line(), 0, { ...succeeded, seconds: 90 }), reservedMicros: 60_000n })).toBe(60_000n);
    expect(owed({ ...done(line(), 0), reservedMicros: 0n })).toBe(0n);
  });

  it('is nothing for attempts that the platform lost', () => {
    let run = line();
    for (let losses = 1; losses <= 3; losses += 1) run = done(run, 0, lost);
    expect(owed(run)).toBe(0n);
  });

  it.each([
    ['somebody cancels it', (run: Run) => cancelRun(run, later).state],
    ['it takes longer than it may', (run: Run) => stopOverdue(run, later).state],
  ])('is what ran of a step that is stopped as %s, as its engine has measured it', (_, stopped) => {
    const ending = stopped(begun(line(), 0));
    expect(owed(finish(ending, 0, { outcome: 'ERROR', message: 'stopped', seconds: 28 }).state)).toBe(28_000n);
    expect(owed(finish(ending, 0, succeeded).state)).toBe(1000n);
    expect(owed(finish(ending, 0, { outcome: 'POSTPONED', message: 'Waits for a kernel' }).state)).toBe(0n);
  });

  it('is the time until its end was wanted where nothing is heard of a step, and nothing where none had begun', () => {
    const ending = cancelRun(begun(line(), 0), after(12)).state;
    for (const over of [
      finish(ending, 0, lost).state,
      enforceCancelling(ending, after(20)).state,
      loseWorkers(ending, () => true, after(20)).state,
    ])
      expect([over.status, owed(over)]).toEqual(['Cancelled', 12_000n]);
    expect(owed(cancelRun(line(), later).state)).toBe(0n);
  });
});

describe('a run that takes longer than it may', () => {
  const message = 'The run took longer than 3600 s';

  it('fails, and whatever its steps report meanwhile counts for nothing', () => {
    const ending = stopOverdue(begun(line(), 0), later).state;
    expect(statuses(ending)).toEqual(['Cancelling', 'Running', 'Omitted', 'Omitted']);
    const { state, events } = finish(ending, 0, succeeded);
    expect(statuses(state)).toEqual(['Failed', 'Error', 'Omitted', 'Omitted']);
    expect([state.message, state.steps[0]?.message]).toEqual([message, message]);
    expect(events.map(({ name }) => name)).toEqual(['run.step_finished', 'run.finished']);
  });

  it('fails as well when what still runs says nothing, and when somebody cancels it meanwhile', () => {
    const ending = stopOverdue(begun(line(), 0), later).state;
    expect(cancelRun(ending, later).state).toBe(ending);
    expect(enforceCancelling(ending, later).state).toMatchObject({ status: 'Failed', message });
  });

  it('fails at once while none of its steps runs', () => {
    expect(stopOverdue(line(), later).state).toMatchObject({ status: 'Failed', message, finishedAt: later });
  });

  it('goes on until then, may wait to be admitted for ever, and stays cancelled', () => {
    const waiting = { ...line(), admittedAt: null };
    const cancelling = cancelRun(begun(line(), 0), noon).state;
    expect(stopOverdue(waiting, later).state).toBe(waiting);
    expect(stopOverdue(cancelling, later).state).toBe(cancelling);
    const going = begun(line(), 0);
    expect(stopOverdue(going, new Date(later.getTime() - 1)).state).toBe(going);
  });
});

describe('whatever happens in whatever order', () => {
  it('keeps a run that is over as it is, and ends every run', () => {
    let seed = 20_260_701;
    const chance = (max: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * max);
    };
    for (let round = 0; round < 300; round += 1) {
      let run = round % 2 ? line() : fork();
      for (let move = 0; move < 5_000 && !isOver(run); move += 1) run = moved(run);
      expect(isOver(run)).toBe(true);
      for (let move = 0; move < 20; move += 1) expect(moved(run)).toBe(run);
    }

    function moved(run: Run): Run {
      const stepIndex = chance(3);
      const ends = [succeeded, succeeded, skipped, failed, lost, { outcome: 'RETURNED' } as const];
      const moves = [
        () => begun(run, stepIndex, [one, two, other][chance(3)]),
        () => begun(run, stepIndex, one),
        () => finish(run, stepIndex, ends[chance(ends.length)] ?? succeeded).state,
        () => finish(run, stepIndex, succeeded, chance(4)).state,
        () => (chance(10) === 0 ? cancelRun(run, noon).state : run),
        () => (chance(5) === 0 ? enforceCancelling(run, noon).state : run),
        () => (chance(10) === 0 ? stopOverdue(run, later).state : run),
        () => (chance(5) === 0 ? loseWorkers(run, (worker) => worker === two, noon).state : run),
      ];
      return (moves[chance(moves.length)] ?? (() => run))();
    }
  });
});
