import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { modelProcess, type ModelProcess, type ModelProcessOptions } from '../models/model-process.ts';

interface Answer {
  readonly greeting: string;
  readonly pid: number;
  readonly secret: string | null;
}

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((model) => model.close()));
});

function modelUnderTest(limits: Partial<ModelProcessOptions> = {}): ModelProcess<{ what: string }, Answer> {
  const started = modelProcess<{ what: string }, Answer>({
    module: new URL('model-under-test.ts', import.meta.url),
    options: { greeting: 'hello' },
    processes: 1,
    timeoutMs: 60_000,
    idleMs: 60_000,
    memoryMiB: 250,
    logger: { warn: () => undefined },
    ...limits,
  });
  open.push(started);
  return started;
}

const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a model in a process of its own', () => {
  it('answers one task after the other in the same process, which sees no variable of the service', async () => {
    process.env['SERVICE_PRIVATE_KEY'] = 'secret';
    const tried = modelUnderTest();
    const first = await tried.run({ what: 'work' });
    expect(first).toMatchObject({ greeting: 'hello', secret: null });
    expect((await tried.run({ what: 'work' })).pid).toBe(first.pid);
    delete process.env['SERVICE_PRIVATE_KEY'];
  });

  it.each([
    ['crash', 'SIGSEGV'],
    ['exit', '3: no more tokens'],
    ['fail', 'no such word'],
  ])('that does %s is an error of one task', async (what, cause) => {
    const tried = modelUnderTest();
    await expect(tried.run({ what })).rejects.toMatchObject({
      kind: 'upstream_failed',
      cause: { message: expect.stringContaining(cause) },
    });
    await expect(tried.run({ what: 'work' })).resolves.toMatchObject({ greeting: 'hello' });
  });

  it('that never answers is killed', async () => {
    const tried = modelUnderTest({ timeoutMs: 2_000 });
    await expect(tried.run({ what: 'hang' })).rejects.toMatchObject({ kind: 'deadline_exceeded' });
  });

  it('is killed when nobody waits any more', async () => {
    const tried = modelUnderTest();
    const { pid } = await tried.run({ what: 'work' });
    const gone = new AbortController();
    const hanging = tried.run({ what: 'hang' }, gone.signal);
    gone.abort();
    await expect(hanging).rejects.toMatchObject({ kind: 'unavailable' });
    await waitFor(() => !lives(pid));
  });

  it('ends when it has had nothing to do for a while, and when it has grown too large', async () => {
    const idle = modelUnderTest({ idleMs: 10 });
    const { pid } = await idle.run({ what: 'work' });
    await waitFor(() => !lives(pid));
    const large = modelUnderTest();
    const grown = await large.run({ what: 'grow' });
    expect((await large.run({ what: 'work' })).pid).not.toBe(grown.pid);
  });

  it('refuses what waits when the service stops', async () => {
    const tried = modelUnderTest();
    const hanging = tried.run({ what: 'hang' });
    const refused = expect(hanging).rejects.toMatchObject({ kind: 'unavailable' });
    await tried.close();
    await refused;
    await expect(tried.run({ what: 'work' })).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
