import { describe, expect, it } from '@jest/globals';
import { paymentRequired } from '@platform-backend/core';
import type { StepConfig } from '../../steps/domain/step.ts';
import { step } from '../../steps/test/examples.ts';
import type { Run } from '../domain/run.ts';
import type { DecideRun } from '../domain/runs.ts';
import { noon, runOf, versionOf } from '../test/examples.ts';
import { childRuns, type ChildRunPorts } from './child-runs.ts';
import type { StartedRun } from './runs.ts';

const retryPolicy = {
  maximumAttempts: 3,
  initialIntervalSeconds: 60,
  backoffCoefficient: 2,
  maximumIntervalSeconds: 600,
};

interface Several {
  readonly forEach?: StepConfig['forEach'];
  /** By their ids, those that are there. */
  readonly children?: ReadonlyMap<string, Run>;
  /** Gets the ids of those that are to end. */
  readonly cancelled?: string[];
}

/** One run of a step that starts others, kept as it is changed. */
function tended(
  query: string,
  start: (wanted: StartedRun) => Promise<unknown>,
  { forEach = null, children = new Map(), cancelled = [] }: Several = {},
) {
  const steps = [
    step('starts', [], [], {
      queryType: 'PIPELINE',
      query,
      parameters: { region: 'north', year: 2026 },
      forEach,
      retryPolicy: { ...retryPolicy, nonRetryableErrorTypes: [] },
    }),
  ];
  const read = runOf(steps);
  let kept = read;
  const ports = {
    runs: {
      findMany: (_: unknown, ids: readonly string[]) => Promise.resolve(ids.flatMap((id) => children.get(id) ?? [])),
      change<Result>(_by: unknown, _id: string, decide: DecideRun<Result>) {
        const { state, result } = decide(kept);
        kept = state;
        return Promise.resolve(result);
      },
    },
    findVersion: () => Promise.resolve(versionOf(steps)),
    datasets: { findMany: () => Promise.resolve(new Map()) },
    start: (_payer: unknown, wanted: StartedRun) => start(wanted),
    cancel: (_: unknown, ids: readonly string[]) => Promise.resolve(void cancelled.push(...ids)),
    submit: () => undefined,
    clock: { now: () => noon },
    logger: { warn: () => undefined },
  } as unknown as ChildRunPorts;
  const { tend } = childRuns(ports);
  const given = (parameters: Run['parameters']): Run => (kept = { ...read, parameters });
  return { given, tend: (run: Run) => tend({ organisationId: 'org_1', run }), read, kept: () => kept };
}

const ID = '019a0000-0000-7000-8000-00000000000A';

describe('a step that starts a run for each value', () => {
  const each = { parameter: 'region', values: ['north', 'south', 'west'], concurrency: 2 };
  function several() {
    const children = new Map<string, Run>();
    const cancelled: string[] = [];
    const { tend, kept } = tended(
      ID,
      ({ runId, parameters = {} }) => {
        children.set(runId, { ...runOf([]), id: runId, parameters, status: 'Running' });
        return Promise.resolve();
      },
      { forEach: each, children, cancelled },
    );
    const end = (region: string, status: Run['status']): void => {
      for (const [id, child] of children)
        if (child.parameters['region'] === region) children.set(id, { ...child, status });
    };
    const regions = () => [...children.values()].map(({ parameters }) => parameters['region']);
    return { tend: () => tend(kept()), step: () => kept().steps[0], end, regions, cancelled };
  }

  it('has as many of them going on as it may, in the order of the values, and ends with the last', async () => {
    const { tend, step, end, regions } = several();
    await tend();
    await tend();
    expect(regions()).toEqual(['north', 'south']);
    end('south', 'Succeeded');
    await tend();
    expect(regions()).toEqual(['north', 'south', 'west']);
    end('north', 'Succeeded');
    await tend();
    expect(step()).toMatchObject({ status: 'Running' });
    end('west', 'Succeeded');
    await tend();
    expect(step()).toMatchObject({ status: 'Succeeded', attempt: 1 });
  });

  it('fails with the first that does: the others are cancelled, and no more begin', async () => {
    const { tend, step, end, regions, cancelled } = several();
    await tend();
    end('north', 'Failed');
    await tend();
    expect(regions()).toEqual(['north', 'south']);
    expect(step()).toMatchObject({ status: 'Pending', failures: 1, errorCode: 'run_failed' });
    expect(cancelled).toHaveLength(1);
  });
});

describe('a step that starts a run', () => {
  it('waits before it is tried again, also where somebody looks at it as it was before', async () => {
    const { tend, read, kept } = tended(ID, () => Promise.reject(paymentRequired()));
    await tend(read);
    expect(kept().steps[0]).toMatchObject({ status: 'Pending', attempt: 1, failures: 1 });
    await tend(read);
    expect(kept().steps[0]).toMatchObject({ status: 'Pending', attempt: 1, failures: 1 });
  });

  it('starts the same run however the id of its pipeline is written', async () => {
    const started: string[] = [];
    const { tend, read } = tended(ID, ({ pipelineId }) => Promise.resolve(started.push(pipelineId)));
    await tend(read);
    expect(started).toEqual([ID.toLowerCase()]);
  });

  it('gives it the parameters that its own run was given, where the step has some of their names', async () => {
    const started: unknown[] = [];
    const { tend, given } = tended(ID, ({ parameters }) => Promise.resolve(started.push(parameters)));
    await tend(given({ region: 'south', month: 5 }));
    expect(started).toEqual([{ region: 'south', year: 2026 }]);
  });
});
