import { describe, expect, it } from '@jest/globals';
import { paymentRequired } from '@platform-backend/core';
import { step } from '../../steps/domain/examples.ts';
import { noon, runOf, versionOf } from '../domain/examples.ts';
import type { Run } from '../domain/run.ts';
import type { DecideRun } from '../domain/runs.ts';
import { childRuns, type ChildRunPorts } from './child-runs.ts';
import type { StartedRun } from './runs.ts';

const retryPolicy = {
  maximumAttempts: 3,
  initialIntervalSeconds: 60,
  backoffCoefficient: 2,
  maximumIntervalSeconds: 600,
};

/** One run of a step that starts another one, kept as it is changed. */
function tended(query: string, start: (wanted: StartedRun) => Promise<unknown>) {
  const steps = [
    step('starts', [], [], {
      queryType: 'PIPELINE',
      query,
      parameters: { region: 'north', year: 2026 },
      retryPolicy: { ...retryPolicy, nonRetryableErrorTypes: [] },
    }),
  ];
  const read = runOf(steps);
  let kept = read;
  const ports = {
    runs: {
      findMany: () => Promise.resolve([]),
      change<Result>(_by: unknown, _id: string, decide: DecideRun<Result>) {
        const { state, result } = decide(kept);
        kept = state;
        return Promise.resolve(result);
      },
    },
    findVersion: () => Promise.resolve(versionOf(steps)),
    datasets: { findMany: () => Promise.resolve([]) },
    start: (_payer: unknown, wanted: StartedRun) => start(wanted),
    submit: () => undefined,
    clock: { now: () => noon },
    newId: () => 'request',
    logger: { warn: () => undefined },
  } as unknown as ChildRunPorts;
  const { tend } = childRuns(ports);
  const given = (parameters: Run['parameters']): Run => (kept = { ...read, parameters });
  return { given, tend: (run: Run) => tend({ organisationId: 'org_1', run }), read, kept: () => kept };
}

const ID = '019a0000-0000-7000-8000-00000000000A';

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
