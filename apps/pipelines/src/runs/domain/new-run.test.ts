import { describe, expect, it } from '@jest/globals';
import { step } from '../../steps/test/examples.ts';
import { by, noon, runOf, versionOf } from '../test/examples.ts';
import { again, begun, done, failed, fork, line, skipped, statuses } from '../test/runs-going-on.ts';
import { refusedRun, retriedRun } from './new-run.ts';
import { readySteps, type Run } from './run.ts';

describe('a new run', () => {
  it('has all steps of its version left to replicas that decide conditions', () => {
    const all = [{ subject: 'ROW_COUNT', name: 'x', operator: 'GREATER_THAN', value: 0 }] as const;
    const { steps } = runOf([step('a', ['r'], ['x']), step('b', ['x'], ['y'], { when: [{ all }] })]);
    expect(steps.map(({ engineVersion }) => engineVersion)).toEqual([4, 4]);
  });
});

describe('a run that is refused', () => {
  const wanted = {
    id: 'refused',
    name: 'refused',
    trigger: 'SCHEDULE',
    engine: 'embedded',
    timeLimitSeconds: 1,
    reservedMicros: 0n,
    eventChain: [],
    tags: [],
    notifies: false,
    clientGroupId: null,
    parent: null,
    parameters: {},
    backfillId: null,
  } as const;
  const version = versionOf([step('a', ['r'], ['x']), step('b', ['x'], ['y'])]);

  it('has failed before anything began, says why, and tells so', () => {
    const { state, events } = refusedRun(by, version, wanted, 'Credit limit reached', noon);
    expect(statuses(state)).toEqual(['Failed', 'Omitted', 'Omitted']);
    expect(state).toMatchObject({
      message: 'It was not started: Credit limit reached',
      startedAt: null,
      trigger: 'SCHEDULE',
    });
    expect(events.map(({ name }) => name)).toEqual(['run.started', 'run.finished']);
    expect(again(state).steps.map(({ status }) => status)).toEqual(['Pending', 'Pending']);
  });
});

describe('retrying a run', () => {
  it('keeps what has succeeded and goes on from there', () => {
    const run = { ...again(done(done(line(), 0), 1, failed)), admittedAt: noon };
    expect(run).toMatchObject({ trigger: 'RETRY', retryOfRunId: line().id, status: 'Pending', finishedAt: null });
    expect(run.steps.map(({ status, kept }) => [status, kept])).toEqual([
      ['Succeeded', true],
      ['Pending', false],
      ['Pending', false],
    ]);
    expect(readySteps(run)).toEqual([1]);
  });

  it('does a step again and all that wait for it, and keeps what others have made', () => {
    const over = done(done(done(fork(), 0), 1), 2);
    const from = (run: Run, fromStep: number) =>
      retriedRun(
        by,
        run,
        {
          ...{
            id: 'again',
            name: 'again',
            engine: 'embedded',
            timeLimitSeconds: 60,
            reservedMicros: 1n,
            notifies: false,
            clientGroupId: null,
          },
          fromStep,
        },
        noon,
      ).state;
    const run = from(over, 1);
    expect(run.steps.map(({ status, kept }) => [status, kept])).toEqual([
      ['Succeeded', true],
      ['Pending', false],
      ['Pending', false],
    ]);
    expect(from(done(done(line(), 0), 1, failed), 2).steps.map(({ kept }) => kept)).toEqual([true, false, false]);
    expect(from(done(done(done(line(), 0), 1), 2), 0).steps.map(({ kept }) => kept)).toEqual([false, false, false]);
    expect(() => from(begun(line(), 0), 0)).toThrow('The run is not over');
  });

  it('is not for what goes on, nor for what has succeeded', () => {
    expect(() => again(begun(line(), 0))).toThrow('The run is not over');
    expect(() => again(done(done(done(line(), 0), 1), 2))).toThrow('The run has succeeded');
  });

  it('keeps a skipped step as it is, and has it decided anew from it on', () => {
    const over = done(done(line(), 0, skipped), 1, failed);
    expect(again(over).steps.map(({ status, kept }) => [status, kept])).toEqual([
      ['Skipped', true],
      ['Pending', false],
      ['Pending', false],
    ]);
    const wanted = { ...over, id: 'anew', fromStep: 0 };
    const { steps } = retriedRun(by, over, wanted, noon).state;
    expect(steps.map(({ status, kept }) => [status, kept])).toEqual(Array.from(steps, () => ['Pending', false]));
  });
});
