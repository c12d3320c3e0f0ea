import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { fixedClock, forbidden } from '@platform-backend/core';
import type { Taker, WorkQueue } from '@platform-backend/events';
import { step } from '../../steps/test/examples.ts';
import { WORKER_LEASE_MS } from '../domain/limits.ts';
import type { BegunStep, ReportedEnd, RunReports } from '../domain/run-engine.ts';
import { noon, runOf } from '../test/examples.ts';
import { embeddedEngine, type EmbeddedEngineOptions } from './embedded-engine.ts';

type Replaced = Partial<Pick<EmbeddedEngineOptions, 'executeStep' | 'workers'>>;

/** An engine at work whose queue brings what is given to `begin`. */
function working({ reports, ...replaced }: Replaced & { readonly reports: Partial<RunReports> }) {
  const takers: unknown[] = [];
  const queue: WorkQueue = {
    offer: () => Promise.resolve(),
    waiting: () => Promise.resolve(0),
    take: (taker) => {
      takers.push(taker);
      return { stop: () => Promise.resolve() };
    },
  };
  const engine = embeddedEngine({
    ...{ queue, kernelQueue: queue, slots: 1, kernelSlots: 1, worker: 'w' },
    due: { inTurn: () => Promise.resolve([]) },
    executeStep: () => Promise.reject(new Error('nothing is carried out')),
    skipSteps: (of) => Promise.resolve(of),
    tendChildren: () => Promise.resolve(),
    workers: { keep: () => Promise.resolve([]), leave: () => Promise.resolve() },
    judge: { renewed: () => undefined },
    clock: fixedClock(noon),
    logger: { warn: () => undefined } as never,
    ...replaced,
  });
  const work = engine.work({
    stepStarted: () => Promise.resolve(undefined),
    stepWaiting: () => Promise.reject(new Error('no step of this engine waits for a pod')),
    stepLogged: () => Promise.resolve(),
    stepFinished: () => Promise.reject(new Error('nothing ends')),
    ...reports,
  });
  const taker = () => takers[0] as Taker<BegunStep>;
  const message = JSON.stringify({ organisationId: 'org', runId: 'run', place: 0 });
  return {
    begin: () => taker().begin(message, false),
    execute: (begun: BegunStep) => taker().execute(begun),
    stop: () => work.stop(),
  };
}

describe('a process that could not be named among the workers', () => {
  it('is named with the next step that comes, and begins it', async () => {
    let renewals = 0;
    const started: string[] = [];
    const { begin, stop } = working({
      workers: {
        keep: () => ((renewals += 1) === 1 ? Promise.reject(forbidden()) : Promise.resolve([])),
        leave: () => Promise.resolve(),
      },
      reports: {
        stepStarted: ({ runId }) => {
          started.push(runId);
          return Promise.resolve(undefined);
        },
      },
    });
    await new Promise((soon) => setImmediate(soon));
    await begin();
    expect(started).toEqual(['run']);
    expect(renewals).toBe(2);
    await stop();
  });
});

describe('a step that fails', () => {
  afterEach(() => void jest.restoreAllMocks());

  /** The end that is told of it when it fails after so many milliseconds in which nothing of this process moved. */
  async function endAfter(ms: number): Promise<ReportedEnd | undefined> {
    let end: ReportedEnd | undefined;
    const run = runOf([step('a', [], ['x'])]);
    const begun = { at: { organisationId: 'org', runId: run.id, stepIndex: 0, attempt: 1 }, run };
    const { begin, execute, stop } = working({
      executeStep: () => {
        const frozenUntil = performance.now() + ms;
        jest.spyOn(performance, 'now').mockReturnValue(frozenUntil);
        const failed = { outcome: 'FAILED', code: 'timeout', message: 'It took longer than 1 s', seconds: 1 } as const;
        return Promise.resolve({ ...failed, failedRows: [], inputVersionIds: [] });
      },
      reports: {
        stepStarted: () => Promise.resolve(begun),
        stepFinished: (_, told) => {
          end = told;
          return Promise.resolve({ run, begun: undefined });
        },
      },
    });
    await execute((await begin()) ?? begun);
    await stop();
    return end;
  }

  it('has failed', async () => {
    expect(await endAfter(WORKER_LEASE_MS / 2)).toMatchObject({ outcome: 'FAILED' });
  });

  it('is not blamed, and begun again, when its process stood still for longer than its lease', async () => {
    const message = 'What carried it out stood still meanwhile';
    expect(await endAfter(WORKER_LEASE_MS + 1_000)).toEqual({ outcome: 'ERROR', message });
  });
});
