import { afterEach, describe, expect, it } from '@jest/globals';
import { conflict, DomainError } from '@platform-backend/core';
import { waitFor } from '@platform-backend/testing';
import { workerPool, type WorkerPool, type WorkerPoolOptions } from '../src/index.ts';
import type { Task } from './task-worker.ts';

const limits: WorkerPoolOptions = {
  worker: new URL('task-worker.ts', import.meta.url),
  maxWaitingOfOne: 16,
  maxWaiting: 64,
  waitTimeoutMs: 120_000,
  taskTimeoutMs: 120_000,
  maxMemoryMb: 64,
};
const tooComplex = () => conflict('too_complex', 'too complex');

let opened: WorkerPool<Task, string>[] = [];
const open = (options: Partial<WorkerPoolOptions> = {}) => {
  const pool = workerPool<Task, string>({ ...limits, ...options });
  opened.push(pool);
  return pool;
};

const outcomeOf = async (work: Promise<string>) => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return error.code;
  }
};
const answer = (text: string): Task => ({ does: 'answer', text });

afterEach(async () => {
  for (const pool of opened) await pool.close();
  opened = [];
});

describe('a pool of worker threads', () => {
  it('does tasks while its caller goes on', async () => {
    const { run } = open();
    const events: string[] = [];
    const done = Array.from({ length: 10 }, async () => events.push(await run('org_1', answer('task'))));
    for (let tick = 0; tick < 10; tick += 1) await new Promise(setImmediate);
    events.push('other work');
    await Promise.all(done);
    expect(events).toEqual(['other work', ...Array.from({ length: 10 }, () => 'task')]);
  });

  it('takes the organisations in turn, and lets none have more than its share of the queue', async () => {
    const { run } = open({ maxWaitingOfOne: 3 });
    const order: string[] = [];
    const ask = async (organisationId: string) =>
      order.push(`${organisationId} ${await outcomeOf(run(organisationId, answer('done')))}`);
    await Promise.all(['greedy', 'greedy', 'greedy', 'greedy', 'greedy', 'modest'].map(ask));
    expect(order).toEqual(['greedy busy', 'greedy done', 'greedy done', 'modest done', 'greedy done', 'greedy done']);
  });

  it('leaves one of several threads to the other organisations', async () => {
    const { run, close } = open({ threads: 2 });
    const endless = [1, 2, 3].map(() => outcomeOf(run('greedy', { does: 'never ends' })));
    expect(await run('modest', answer('done'))).toBe('done');
    await close();
    expect(await Promise.all(endless)).toEqual(['unavailable', 'unavailable', 'unavailable']);
  });

  it('refuses what is more than may wait, and takes more once there is room again', async () => {
    const { run } = open({ maxWaiting: 3 });
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => outcomeOf(run('org_1', answer('done')))));
    expect(outcomes).toEqual(['done', 'done', 'done', 'done', 'busy', 'busy']);
    expect(await run('org_1', answer('done'))).toBe('done');
  });

  it('refuses who waited for too long', async () => {
    const { run } = open({ waitTimeoutMs: 1 });
    const outcomes = [outcomeOf(run('org_1', answer('done'))), outcomeOf(run('org_1', answer('done')))];
    expect(await Promise.all(outcomes)).toEqual(['done', 'busy']);
  });

  it.each([
    ['never ends', { taskTimeoutMs: 3_000 }],
    ['takes memory', {}],
    ['calls itself', {}],
  ] as const)('ends a task that %s, says so, and does the tasks of everybody else', async (does, options) => {
    const { run } = open({ ...options, limitError: tooComplex });
    const [endless, other] = [outcomeOf(run('org_1', { does })), run('org_2', answer('mine'))];
    expect(await endless).toBe('too_complex');
    expect(await other).toBe('mine');
    expect(await run('org_1', answer('mine'))).toBe('mine');
  });

  it.each(['never ends', 'takes memory', 'calls itself'] as const)(
    'ends a task that %s by the time of the processor that it takes',
    async (does) => {
      const { run } = open({ taskCpuMs: 300, limitError: tooComplex });
      expect(await outcomeOf(run('org_1', { does }))).toBe('too_complex');
      expect(await run('org_1', answer('mine'))).toBe('mine');
    },
  );

  it('blames no task for what takes long without the processor: it may be asked for again', async () => {
    const { run } = open({ taskCpuMs: 60_000, taskTimeoutMs: 500, limitError: tooComplex });
    expect(await outcomeOf(run('org_1', { does: 'waits' }))).toBe('unavailable');
  });

  it('does a task that waits for longer than it may work, and counts each task of a thread by itself', async () => {
    const { run } = open({ taskCpuMs: 400, limitError: tooComplex });
    for (let task = 0; task < 3; task += 1)
      expect(await run('org_1', { does: 'works a while', text: 'mine' })).toBe('mine');
    expect(await run('org_1', { does: 'waits a while', text: 'mine' })).toBe('mine');
  });

  it('reports a limit as a defect where no task should reach it', async () => {
    const { run } = open({ taskTimeoutMs: 1 });
    await expect(run('org_1', { does: 'never ends' })).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('says so when a task fails, and does the next one', async () => {
    const { run } = open();
    await expect(run('org_1', { does: 'fails', text: 'this' })).rejects.toThrow('cannot do this');
    expect(await run('org_1', answer('done'))).toBe('done');
  });

  it('outlives a thread that reaches its limit of memory while it is being ended for its time', async () => {
    const { run } = open({ taskTimeoutMs: 100, limitError: tooComplex });
    await outcomeOf(run('org_1', answer('the thread is there')));
    const ended = outcomeOf(run('org_1', { does: 'takes memory' }));
    await new Promise(setImmediate);
    // Whoever looks neither at the clock nor at its threads meanwhile hears of both limits at once, of the time first.
    for (const seen = performance.now(); performance.now() - seen < 2_000;);
    expect(await ended).toBe('too_complex');
    await waitFor(async () => (await outcomeOf(run('org_1', answer('done')))) === 'done');
  });

  it('refuses what runs and waits when it is closed, and everybody afterwards', async () => {
    const { run, close } = open();
    const asked = [outcomeOf(run('org_1', { does: 'never ends' })), outcomeOf(run('org_1', answer('done')))];
    await close();
    expect(await Promise.all(asked)).toEqual(['unavailable', 'unavailable']);
    expect(await outcomeOf(run('org_1', answer('done')))).toBe('unavailable');
  });
});
