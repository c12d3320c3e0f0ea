import { describe, expect, it } from '@jest/globals';
import { notFound, serviceActorContext, unavailable } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import type { KernelHandle } from '../domain/kernel-provider.ts';
import type { Kernels } from '../domain/kernels.ts';
import { aKernel } from '../test/a-kernel.ts';
import { kernelUseCases, type KernelPorts } from './kernels.ts';
import { runningKernels } from './running-kernels.ts';

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

describe('the folder of a notebook that is another now', () => {
  it('is heard of by every kernel that can be reached', async () => {
    const heard: string[] = [];
    const others = [
      aKernel(clock.now(), { id: 'out of reach', nodeId: 'elsewhere', nodeAddress: '' }),
      aKernel(clock.now(), { id: 'gone', nodeId: 'here' }),
      aKernel(clock.now(), { id: 'here', nodeId: 'here' }),
    ];
    const refresh = (_organisationId: string, id: string) =>
      id === 'gone' ? Promise.reject(notFound('Kernel')) : Promise.resolve(void heard.push(id));
    const ports = { kernels: { list: () => Promise.resolve(others) }, running: { refresh }, node: { id: 'here' } };
    await kernelUseCases(ports as unknown as KernelPorts).refreshFolder('org_1', 'n', undefined);
    expect(heard).toEqual(['here']);
  });
});

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

type Writable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

describe('restarting a kernel that is dead', () => {
  const payer = { ...by, clientGroupId: null, apiKeyId: null };
  const logger = createLogger({ service: 'notebooks', level: 'silent' });

  /** Its replica, with how many processes there are for it. */
  function replica() {
    const state = {
      kept: aKernel(clock.now(), { state: 'dead', billedMinutes: 3, isCharged: false }),
      processes: 0,
      reserved: 0,
    };
    const running = runningKernels({ clock, logger, timeoutMs: 1_000, died: () => undefined });
    const started = (): Promise<KernelHandle> => {
      state.processes += 1;
      return Promise.resolve({
        listen: () => () => undefined,
        died: new Promise(() => undefined),
        shutdown: () => Promise.resolve(void (state.processes -= 1)),
      } as unknown as KernelHandle);
    };
    const use = { alive: 0, startedInLastMinute: 0 };
    const kernels: Writable<Pick<Kernels, 'get' | 'update' | 'revive'>> = {
      get: () => Promise.resolve(state.kept),
      update(_by, _id, decide) {
        const { state: kept, result } = decide(state.kept);
        state.kept = kept;
        return Promise.resolve(result);
      },
      revive(_by, _id, _since, decide) {
        const { state: kept, result } = decide(state.kept, use);
        state.kept = kept;
        return Promise.resolve(result);
      },
    };
    const reserveMinute = () => {
      state.reserved += 1;
      return Promise.resolve({ debit: () => [], release: () => Promise.resolve(void (state.reserved -= 1)) });
    };
    const app = kernelUseCases({
      ...{ kernels, running, clock, logger, leaseMs: 18_000, limits: {}, provider: { start: started } },
      credits: { reserveMinute, debitMinute: () => undefined },
      ...{ node: { id: 'here', address: '' }, allowed: { kernels: 5, startsPerMinute: 10, ofReplica: 5 } },
    } as unknown as KernelPorts);
    return Object.assign(state, { app, kernels, running, started });
  }

  it('begins it once, however many ask for that at the same time', async () => {
    const here = replica();
    const restart = () => here.app.restartKernel(payer, here.kept.id);
    await Promise.all([restart(), restart()]);
    expect([here.processes, here.kept.state]).toEqual([1, 'idle']);
    await here.running.close();
    expect(here.processes).toBe(0);
  });

  it('ends what is still here of one that was only taken for dead', async () => {
    const here = replica();
    void here.running.add(by.organisationId, here.kept, here.started());
    await here.app.restartKernel(payer, here.kept.id);
    expect([here.processes, here.kept.state]).toEqual([1, 'idle']);
  });

  it('is refused where others have taken the last place meanwhile, and it stays dead', async () => {
    const here = replica();
    const { revive } = here.kernels;
    here.kernels.revive = (...wanted) => {
      for (let other = 0; other < 5; other += 1)
        void here.running.add(by.organisationId, aKernel(clock.now(), { id: `other ${other}` }), here.started());
      return revive(...wanted);
    };
    const refusal = { code: 'kernel_replica_full' };
    await expect(here.app.restartKernel(payer, here.kept.id)).rejects.toMatchObject(refusal);
    expect([here.processes, here.kept.state, here.reserved]).toEqual([5, 'dead', 0]);
  });

  it('costs its minutes, also of one that was paid for with a step', async () => {
    const here = replica();
    await here.app.restartKernel(payer, here.kept.id);
    expect([here.reserved, here.kept.isCharged]).toEqual([1, true]);
  });
});
