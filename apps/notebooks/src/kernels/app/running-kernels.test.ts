import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import type { KernelHandle, KernelMessage } from '../domain/kernel-provider.ts';
import { liveKernel } from '../providers/live-kernel.ts';
import { aKernel } from '../test/a-kernel.ts';
import { runningKernels } from './running-kernels.ts';

const organisationId = 'org_1';
const clock = { now: () => new Date('2026-01-01T12:00:00Z') };

const kernel = aKernel(clock.now());

const done = (): Promise<void> => Promise.resolve();
const handle: KernelHandle = {
  send: done,
  listen: () => () => undefined,
  interrupt: done,
  restart: done,
  shutdown: done,
  died: new Promise(() => undefined),
};

async function* nothing(): AsyncGenerator<KernelMessage> {
  // Nobody says anything.
}

const nothingYet = (): AsyncIterable<KernelMessage> => ({
  [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
});

function oneRunning(own = handle) {
  const running = runningKernels({
    clock,
    logger: createLogger({ service: 'notebooks', level: 'silent' }),
    timeoutMs: 1_000,
    died: () => undefined,
  });
  void running.add(organisationId, kernel, Promise.resolve(own));
  return running;
}

/** What a client hears, one message for each call. */
async function statesOf(running: ReturnType<typeof oneRunning>): Promise<() => Promise<string>> {
  const heard = (await running.connect(organisationId, kernel.id, 's', nothingYet()))[Symbol.asyncIterator]();
  return async () => {
    const { value } = (await heard.next()) as IteratorResult<KernelMessage, undefined>;
    return value ? Buffer.from(value.content).toString() : '';
  };
}

describe('a client of a running kernel', () => {
  it('that has gone before it could hear anything is not connected', async () => {
    const running = oneRunning();
    const heard = await running.connect(organisationId, kernel.id, 's', nothing());
    await heard[Symbol.asyncIterator]().return?.();
    expect(running.find(kernel.id)).toMatchObject({ connections: 0 });
  });

  it('hears that the kernel is dead when it ended in the meantime', async () => {
    const running = oneRunning();
    const heard = await running.connect(organisationId, kernel.id, 's', nothing());
    await running.shutdown(organisationId, kernel.id);
    const contents: string[] = [];
    for await (const { content } of heard) contents.push(Buffer.from(content).toString());
    expect(contents).toEqual(['{"execution_state":"dead"}']);
  });
});

describe('a kernel that is restarted by somebody', () => {
  it('tells no client that it restarts by itself, also where its listeners hear of it later', async () => {
    const run = {
      ended: new Promise<string>(() => undefined),
      send: done,
      interrupt: done,
      end: done,
    };
    const limits = { memoryBytes: 2 ** 20, executeSeconds: 600, outputBytes: 2 ** 20 };
    const live = await liveKernel({ start: () => Promise.resolve(run), limits });
    const slow = Promise.withResolvers<undefined>();
    live.listen(() => slow.promise);
    const running = oneRunning(live);
    const states = await statesOf(running);
    expect(await states()).toBe('{"execution_state":"idle"}');
    await running.restart(organisationId, kernel.id);
    expect(await states()).toBe('{"execution_state":"idle"}');
    slow.resolve(undefined);
    await new Promise((resolve) => setImmediate(resolve));
    expect(running.find(kernel.id)).toMatchObject({ state: 'idle' });
    await running.shutdown(organisationId, kernel.id);
    expect(await states()).toBe('{"execution_state":"dead"}');
  });
});

describe('a kernel whose restart takes long', () => {
  it('is one that starts to whoever connects meanwhile', async () => {
    const restarted = Promise.withResolvers<undefined>();
    const running = oneRunning({ ...handle, restart: () => restarted.promise });
    await new Promise((resolve) => setImmediate(resolve));
    const restarting = running.restart(organisationId, kernel.id);
    const states = await statesOf(running);
    expect(await states()).toBe('{"execution_state":"starting"}');
    restarted.resolve(undefined);
    await restarting;
    expect(await states()).toBe('{"execution_state":"idle"}');
  });
});

describe('a kernel that still starts', () => {
  it('keeps nobody waiting who interrupts, restarts or stops it, and ends once it has started', async () => {
    const running = oneRunning();
    const starting = Promise.withResolvers<KernelHandle>();
    const id = 'starting';
    const gone = running.add(organisationId, { ...kernel, id }, starting.promise);
    await running.interrupt(organisationId, id);
    await running.restart(organisationId, id);
    expect(running.find(id)).toMatchObject({ state: 'starting' });
    await running.shutdown(organisationId, id);
    expect([running.find(id), await gone]).toEqual([undefined, 'It was stopped']);
    const ended = Promise.withResolvers<string>();
    const shutdown = (): Promise<void> => {
      ended.resolve('ended');
      return done();
    };
    starting.resolve({ ...handle, shutdown });
    expect(await ended.promise).toBe('ended');
  });
});
