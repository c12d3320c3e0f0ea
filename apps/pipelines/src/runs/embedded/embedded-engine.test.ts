import { describe, expect, it } from '@jest/globals';
import { fixedClock, forbidden } from '@platform-backend/core';
import type { Taker, WorkQueue } from '@platform-backend/events';
import { embeddedEngine } from './embedded-engine.ts';

describe('a process that could not be named among the workers', () => {
  it('is named with the next step that comes, and begins it', async () => {
    const begins: Taker<unknown>['begin'][] = [];
    const queue: WorkQueue = {
      offer: () => Promise.resolve(),
      waiting: () => Promise.resolve(0),
      take: ({ begin }) => {
        begins.push(begin);
        return { stop: () => Promise.resolve() };
      },
    };
    let renewals = 0;
    const engine = embeddedEngine({
      ...{ queue, kernelQueue: queue, slots: 1, kernelSlots: 1, worker: 'w' },
      due: { inTurn: () => Promise.resolve([]) },
      executeStep: () => Promise.reject(new Error('nothing is carried out')),
      skipSteps: (of) => Promise.resolve(of),
      tendChildren: () => Promise.resolve(),
      workers: {
        keep: () => ((renewals += 1) === 1 ? Promise.reject(forbidden()) : Promise.resolve([])),
        leave: () => Promise.resolve(),
      },
      judge: { renewed: () => undefined },
      clock: fixedClock(new Date(0)),
      logger: { warn: () => undefined } as never,
    });
    const started: string[] = [];
    const work = engine.work({
      stepStarted: ({ runId }) => Promise.resolve(void started.push(runId)),
      stepWaiting: () => Promise.reject(new Error('no step of this engine waits for a pod')),
      stepLogged: () => Promise.resolve(),
      stepFinished: () => Promise.reject(new Error('nothing ends')),
    });
    await new Promise((soon) => setImmediate(soon));
    await begins[0]?.(JSON.stringify({ organisationId: 'org', runId: 'run', place: 0 }), false);
    expect(started).toEqual(['run']);
    expect(renewals).toBe(2);
    await work.stop();
  });
});
