import { describe, expect, it } from '@jest/globals';
import { systemClock } from '@platform-backend/core';
import { runReconciler, type RunReconcilerPorts } from './run-reconciler.ts';

const nothing = () => Promise.resolve([]);

describe('the sweep of runs', () => {
  const swept: string[] = [];
  const ports = {
    sweeps: {
      ofLostWorkers: nothing,
      beyondLimit: nothing,
      overdue: () => Promise.reject(new Error('it cannot be read')),
      overdueCancellations: nothing,
      organisationsWaiting: () => Promise.resolve(['org_1', 'org_2', 'org_3']),
      admit: (organisationId: string) => {
        if (organisationId === 'org_2') return Promise.reject(new Error('it is refused'));
        swept.push(organisationId);
        return nothing();
      },
      forgotten: nothing,
    },
    engine: { submit: () => Promise.resolve(), isBusy: () => Promise.resolve(false) },
    app: { submit: () => undefined },
    children: { sweep: () => Promise.resolve() },
    judge: { mayJudge: () => true },
    clock: systemClock,
    logger: { warn: ({ event }: { event: string }) => swept.push(event) },
  } as unknown as RunReconcilerPorts;

  it('goes on with the next organisation, and with what is swept next, after a failure', async () => {
    await runReconciler(ports).sweep();
    expect(swept).toEqual(['runs.sweep_failed', 'org_1', 'runs.sweep_failed', 'org_3']);
  });
});
