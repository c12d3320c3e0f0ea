import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fairSemaphore, type QueueClass, type Tenant, type SemaphoreLimits } from './fair-semaphore.ts';
import { callHasChanged, withCaller } from './waiting-caller.ts';

const limits: SemaphoreLimits = {
  slots: 10,
  keptForSystem: 2,
  share: 3,
  maxWaiting: 100,
  maxWaitingInAll: 200,
  timeoutMs: 60_000,
};

/** Everybody comes in and stays until the test lets them go; `order` is who was let in, one after the other. */
function room(overrides: Partial<SemaphoreLimits> = {}) {
  const semaphore = fairSemaphore({ ...limits, ...overrides });
  const order: string[] = [];
  const inside: Tenant[] = [];
  const come = (name: string, queue: QueueClass = 'tenants'): Promise<void> => {
    const acquired = semaphore.acquire(queue, name);
    const note = (tenant: Tenant): void => {
      order.push(name);
      inside.push(tenant);
    };
    if (acquired instanceof Promise) return acquired.then(note);
    note(acquired);
    return Promise.resolve();
  };
  const settled = (): Promise<void> => new Promise(setImmediate);
  const leave = async (name?: string): Promise<void> => {
    const index = name === undefined ? 0 : inside.findIndex((tenant) => tenant.name === name);
    const [tenant] = inside.splice(index, 1);
    if (tenant) semaphore.release(tenant);
    await settled();
  };
  const insideOf = (name: string): number => inside.filter((tenant) => tenant.name === name).length;
  return { semaphore, come, leave, order, inside, insideOf, settled };
}

const comeOften = ({ come }: ReturnType<typeof room>, name: string, times: number, queue?: QueueClass): void => {
  for (let time = 0; time < times; time += 1) come(name, queue).catch(() => undefined);
};

describe('fair semaphores', () => {
  it('let nobody have more than a share, and others in although many wait', () => {
    const all = room();
    comeOften(all, 'greedy', 50);
    expect(all.insideOf('greedy')).toBe(3);
    comeOften(all, 'modest', 1);
    expect(all.insideOf('modest')).toBe(1);
  });

  it('go round those who wait, however much each of them wants', async () => {
    const all = room({ share: 8 });
    comeOften(all, 'first', 8);
    comeOften(all, 'greedy', 5);
    comeOften(all, 'modest', 1);
    comeOften(all, 'other', 2);
    all.order.length = 0;
    for (let time = 0; time < 8; time += 1) await all.leave('first');
    expect(all.order).toEqual(['greedy', 'modest', 'other', 'greedy', 'other', 'greedy', 'greedy', 'greedy']);
  });

  it('keep some slots for the system, and let it have free ones as well', () => {
    const all = room();
    for (const name of ['a', 'b', 'c', 'd']) comeOften(all, name, 3);
    expect(all.inside).toHaveLength(8);
    comeOften(all, 'relay', 1, 'system');
    comeOften(all, 'sweep', 1, 'system');
    expect([all.insideOf('relay'), all.insideOf('sweep')]).toEqual([1, 1]);
    const idle = room();
    for (const name of ['relay', 'sweep', 'prune', 'report']) comeOften(idle, name, 3, 'system');
    expect(idle.inside).toHaveLength(10);
  });

  it('forget who was refused where nobody may wait', async () => {
    const all = room({ share: 8, maxWaiting: 0 });
    comeOften(all, 'first', 8);
    await expect(all.come('late')).rejects.toMatchObject({ code: 'busy' });
    expect(all.semaphore.tenants).toBe(1);
  });

  it('refuse at once whoever comes when too many of the same tenant wait, and nobody else', async () => {
    const all = room({ maxWaiting: 5 });
    comeOften(all, 'greedy', 8);
    await expect(all.come('greedy')).rejects.toMatchObject({ kind: 'unavailable', code: 'busy', retryAfterSeconds: 1 });
    await all.come('modest');
  });

  it('refuse whoever comes when too many wait in all', async () => {
    const all = room({ slots: 2, keptForSystem: 0, share: 1, maxWaitingInAll: 2 });
    for (const name of ['a', 'b', 'c', 'd']) comeOften(all, name, 1);
    await expect(all.come('e')).rejects.toMatchObject({ kind: 'unavailable', code: 'busy' });
    await all.leave();
    await all.leave();
    comeOften(all, 'e', 1);
    await all.leave();
    expect(all.order).toEqual(['a', 'b', 'c', 'd', 'e']);
    await all.leave();
    await all.leave();
    expect(all.semaphore.tenants).toBe(0);
  });

  it('refuse whoever waited for too long, and forget it', async () => {
    const all = room({ timeoutMs: 20 });
    comeOften(all, 'greedy', 3);
    await expect(all.come('greedy')).rejects.toMatchObject({ kind: 'unavailable', code: 'busy' });
    for (let time = 0; time < 3; time += 1) await all.leave();
    expect(all.semaphore.tenants).toBe(0);
  });

  it('refuse whoever waits while its caller can still be told', async () => {
    const all = room();
    comeOften(all, 'greedy', 3);
    const caller = new AbortController();
    const deadline = new Date(Date.now() + 200);
    setTimeout(() => caller.abort(new Error('too late')), 200);
    await expect(withCaller({ signal: caller.signal, deadline }, () => all.come('greedy'))).rejects.toMatchObject({
      code: 'busy',
    });
    expect(caller.signal.aborted).toBe(false);
  });

  it('pass over who is not wanted any more, and who never was', async () => {
    const all = room();
    comeOften(all, 'greedy', 3);
    const caller = new AbortController();
    const given = withCaller(caller, () => all.come('greedy'));
    const next = all.come('greedy');
    caller.abort(new Error('gone'));
    await expect(given).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(withCaller({ signal: AbortSignal.abort() }, () => all.come('greedy'))).rejects.toMatchObject({
      kind: 'unavailable',
    });
    await all.leave();
    await next;
    for (let time = 0; time < 3; time += 1) await all.leave();
    expect(all.semaphore.tenants).toBe(0);
  });

  it('come to whoever has gone after something was changed for them, since that is brought to its end', async () => {
    const all = room();
    comeOften(all, 'greedy', 3);
    const caller = new AbortController();
    const given = withCaller({ signal: caller.signal, deadline: new Date(0) }, () => {
      callHasChanged();
      return all.come('greedy');
    });
    caller.abort(new Error('gone'));
    await new Promise((later) => setTimeout(later, 20));
    await all.leave();
    await given;
    for (let time = 0; time < 3; time += 1) await all.leave();
    expect(all.semaphore.tenants).toBe(0);
  });

  it('are given up by whoever no longer wants them', async () => {
    const all = room({ slots: 1, keptForSystem: 0 });
    await all.come('first');
    const unwanted = new AbortController();
    const waits = Promise.resolve(all.semaphore.acquire('tenants', 'second', unwanted.signal));
    expect(all.semaphore.waiting).toBe(1);
    unwanted.abort(new Error('stopped'));
    await expect(waits).rejects.toMatchObject({ kind: 'unavailable' });
    expect(all.semaphore.waiting).toBe(0);
    await all.leave();
    expect(all.semaphore.tenants).toBe(0);
  });

  it('lose no slot and remember nobody, whatever happens in whatever order', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('come' as const), name: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
      fc.record({ kind: fc.constant('work' as const), name: fc.constantFrom('x', 'y') }),
      fc.record({ kind: fc.constant('leave' as const), name: fc.constant('') }),
      fc.record({ kind: fc.constant('give up' as const), name: fc.constant('') }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        const all = room({ slots: 5, keptForSystem: 1, share: 2, maxWaiting: 4 });
        const callers: AbortController[] = [];
        for (const { kind, name } of steps) {
          if (kind === 'leave') await all.leave();
          else if (kind === 'give up') callers.shift()?.abort();
          else {
            const caller = new AbortController();
            callers.push(caller);
            const queue = kind === 'work' ? 'system' : 'tenants';
            withCaller(caller, () => all.come(name, queue)).catch(() => undefined);
          }
          expect(all.inside.length).toBeLessThanOrEqual(5);
          for (const each of ['a', 'b', 'c', 'd', 'e', 'x', 'y']) expect(all.insideOf(each)).toBeLessThanOrEqual(2);
        }
        await all.settled();
        while (all.inside.length > 0) await all.leave();
        expect(all.semaphore.tenants).toBe(0);
        // All slots are there again.
        for (const name of ['v', 'w', 'x', 'y', 'z']) comeOften(all, name, 1, 'system');
        expect(all.inside).toHaveLength(5);
      }),
    );
  });
});
