import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { kernelMessage } from './jupyter/messages.ts';
import type { KernelRun, Receive } from './kernel-run.ts';
import { liveKernel } from './live-kernel.ts';

const limits = { memoryBytes: 2 ** 20, executeSeconds: 600, outputBytes: 2 ** 20 };

/** A kernel that takes everything and never answers. */
function silent(): KernelRun {
  const ended = Promise.withResolvers<string>();
  return {
    ended: ended.promise,
    send: () => Promise.resolve(),
    interrupt: () => Promise.resolve(),
    end: () => {
      ended.resolve('it was ended');
      return Promise.resolve();
    },
  };
}

describe('a live kernel', () => {
  beforeAll(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
  afterAll(() => void jest.useRealTimers());

  it('that ends in the moment in which it is asked to execute something times nothing any more', async () => {
    const kernel = await liveKernel({ start: () => Promise.resolve(silent()), limits });
    const request = kernelMessage('shell', 'execute_request', { code: '1' }, { session: 'a session' });
    const sent = kernel.send(request).catch((error: unknown) => error);
    await kernel.shutdown();
    expect(await sent).toMatchObject({ kind: 'unavailable' });
    expect(jest.getTimerCount()).toBe(0);
  });

  it('that a client shuts down is dead, and is not begun again', async () => {
    let begun = 0;
    const start = (): Promise<KernelRun> => {
      begun += 1;
      return Promise.resolve(silent());
    };
    const kernel = await liveKernel({ start, limits: { ...limits, restarts: 5 } });
    const heard: string[] = [];
    kernel.listen(({ content }) => void heard.push(Buffer.from(content).toString()));
    await kernel.send(kernelMessage('control', 'shutdown_request', { restart: false }, { session: 'a session' }));
    expect(await kernel.died).toBe('A client shut it down');
    expect(begun).toBe(1);
    expect(heard.filter((content) => /restarting|has died: it was ended/.test(content))).toEqual([]);
  });

  it('is interrupted at its time limit, and says so to whoever asked', async () => {
    let interrupts = 0;
    const start = (): Promise<KernelRun> =>
      Promise.resolve({ ...silent(), interrupt: () => Promise.resolve(void (interrupts += 1)) });
    const kernel = await liveKernel({ start, limits });
    const heard: string[] = [];
    kernel.listen(({ content, parentHeader }) => void heard.push([content, parentHeader].map(String).join(' ')));
    const cell = kernelMessage('shell', 'execute_request', { code: '1' }, { session: 'a session' });
    await kernel.send(cell);
    jest.advanceTimersByTime(599_999);
    expect([interrupts, heard]).toEqual([0, []]);
    jest.advanceTimersByTime(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(interrupts).toBe(1);
    expect(heard).toEqual([expect.stringContaining('The time limit of 600 s is reached: the cell is interrupted')]);
    expect(heard[0]).toContain(String(cell.header));
    await kernel.shutdown();
  });

  it('that has stopped what was interrupted is not begun again, however long what waited behind it takes', async () => {
    let begun = 0;
    let say: Receive | undefined;
    const start = (receive: Receive): Promise<KernelRun> => {
      begun += 1;
      say = receive;
      // What it is asked to see that it has stopped comes behind the next cell.
      return Promise.resolve({ ...silent(), interrupt: () => new Promise(() => undefined) });
    };
    const kernel = await liveKernel({ start, limits });
    const cell = () => kernelMessage('shell', 'execute_request', { code: '1' }, { session: 'a session' });
    const first = cell();
    await kernel.send(first);
    await kernel.send(cell());
    const interrupted = kernel.interrupt();
    await say?.(kernelMessage('shell', 'execute_reply', {}, { session: 'the kernel', parent: first.header }));
    await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersByTime(10_000);
    await new Promise((resolve) => setImmediate(resolve));
    await interrupted;
    expect(begun).toBe(1);
    await kernel.shutdown();
  });

  it('that does not stop when it is interrupted is begun again, and what it was asked is answered', async () => {
    let begun = 0;
    const start = (): Promise<KernelRun> => {
      begun += 1;
      return Promise.resolve({ ...silent(), interrupt: () => new Promise(() => undefined) });
    };
    const kernel = await liveKernel({ start, limits });
    const heard: string[] = [];
    kernel.listen(({ channel, content }) => void heard.push(`${channel} ${Buffer.from(content).toString()}`));
    const cell = () => kernelMessage('shell', 'execute_request', { code: '1' }, { session: 'a session' });
    await kernel.send(cell());
    await kernel.send(cell());
    const interrupted = kernel.interrupt();
    jest.advanceTimersByTime(10_000);
    await new Promise((resolve) => setImmediate(resolve));
    await interrupted;
    expect(begun).toBe(2);
    const [, first, , second] = heard;
    expect(heard[0]).toContain('The kernel has died: It did not stop when it was interrupted, and is begun again');
    expect([first, second]).toEqual([expect.stringContaining('"DeadKernelError"'), 'shell {"status":"aborted"}']);
    expect(heard.filter((one) => one === 'iopub {"execution_state":"idle"}')).toHaveLength(2);
    expect(heard.at(-1)).toBe('iopub {"execution_state":"restarting"}');
    await kernel.shutdown();
  });

  it('that is begun again has nothing to execute of what waited for the life before', async () => {
    const asked: string[][] = [];
    const start = (): Promise<KernelRun> => {
      const ofLife: string[] = [];
      asked.push(ofLife);
      return Promise.resolve({ ...silent(), send: ({ header }) => Promise.resolve(void ofLife.push(String(header))) });
    };
    const kernel = await liveKernel({ start, limits });
    const heard: string[] = [];
    kernel.listen(({ channel, content, parentHeader }) => void heard.push([channel, content, parentHeader].join(' ')));
    const cell = () => kernelMessage('shell', 'execute_request', { code: '1' }, { session: 'a session' });
    // As many as a kernel takes, and one more, as "Run all" of a long notebook asks for.
    for (let count = 0; count < 100; count += 1) await kernel.send(cell());
    const waits = cell();
    const sent = kernel.send(waits);
    await kernel.restart();
    await sent;
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked.map(({ length }) => length)).toEqual([100, 0]);
    const answers = heard.filter((one) => one.includes(String(waits.header)));
    expect(answers).toEqual([
      expect.stringContaining('shell {"status":"aborted"}'),
      expect.stringContaining('iopub {"execution_state":"idle"}'),
    ]);
    // Nothing is executed, and so nothing is interrupted for its time.
    expect(jest.getTimerCount()).toBe(0);
    await kernel.shutdown();
  });
});
