import { describe, expect, it } from '@jest/globals';
import { notFound, serviceActorContext, unavailable } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import type { Kernels } from '../domain/kernels.ts';
import { aKernel } from '../test/a-kernel.ts';
import { kernelUseCases, type KernelPorts } from './kernels.ts';

const by = serviceActorContext('notebooks', 'org_1', 'r');
const clock = { now: () => new Date('2026-01-01T12:00:00Z') };

const kernel = aKernel(clock.now(), { nodeId: 'elsewhere' });

/** A replica with this one kernel or with none, of which only what a stop needs is there. */
function useCases(kernels: Partial<Kernels>, here: readonly string[]) {
  const ended: string[] = [];
  const running = {
    find: (id: string) => (here.includes(id) ? {} : undefined),
    shutdown(_organisationId: string, id: string) {
      if (!here.includes(id)) return Promise.reject(notFound('Kernel'));
      ended.push(id);
      return Promise.resolve();
    },
  };
  const logger = createLogger({ service: 'notebooks', level: 'silent' });
  const ports = { kernels, running, clock, logger, node: { id: 'here', address: '' } } as unknown as KernelPorts;
  return { app: kernelUseCases(ports), ended };
}

describe('starting a kernel', () => {
  it('is refused for a while where as many run as this replica may have, before anything is reserved', async () => {
    const others = { all: () => [kernel, kernel], find: () => undefined };
    const provider = { specs: () => Promise.resolve([{ name: 'python3' }]) };
    const allowed = { kernels: 5, startsPerMinute: 10, ofReplica: 2 };
    const ports = { running: others, provider, allowed, clock, node: { id: 'here', address: '' } };
    const payer = { ...by, clientGroupId: null, apiKeyId: null };
    const app = kernelUseCases(ports as unknown as KernelPorts);
    const refusal = { kind: 'unavailable', code: 'kernel_replica_full' };
    await expect(app.startKernel(payer, {})).rejects.toMatchObject(refusal);
  });
});

describe('stopping a kernel', () => {
  it('ends the one of this replica while the database is away', async () => {
    const away = () => Promise.reject(unavailable(new Error('no database')));
    const { app, ended } = useCases({ get: away, update: away }, ['k']);
    await expect(app.stopKernel(by, 'k')).rejects.toMatchObject({ kind: 'unavailable' });
    expect(ended).toEqual(['k']);
  });

  it('is noted for the one of a replica that nobody can reach, which ends it when it asks for the lease', async () => {
    const states: string[] = [];
    const update: Kernels['update'] = (_by, _id, decide) => {
      const { state, result } = decide(kernel);
      states.push(state.state);
      return Promise.resolve(result);
    };
    const { app } = useCases({ get: () => Promise.resolve(kernel), update }, []);
    await app.stopKernel(by, 'k');
    expect(states).toEqual(['stopped']);
  });
});
