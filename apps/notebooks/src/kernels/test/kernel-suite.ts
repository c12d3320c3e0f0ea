import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { repetitions, waitFor } from '@platform-backend/testing';
import { itWhere } from '@platform-backend/testing/where';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { KernelHandle, KernelLimits, KernelProvider, KernelStartOptions } from '../domain/kernel-provider.ts';
import { kernelClient, type KernelClient } from './kernel-client.ts';

const noTimeZones = existsSync('/usr/share/zoneinfo') ? undefined : 'this machine has no time zones';
const mebibytes = 2 ** 20;

export const usualLimits: KernelLimits = {
  memoryBytes: 512 * mebibytes,
  executeSeconds: 600,
  outputBytes: 10 * mebibytes,
};

export const startKernel = async (
  provider: KernelProvider,
  limits: Partial<KernelLimits> = {},
  begins: Pick<KernelStartOptions, 'environment' | 'folder'> = {},
): Promise<KernelHandle> =>
  await provider.start({
    ...begins,
    kernelId: randomUUID(),
    organisationId: randomUUID(),
    spec: (await provider.specs())[0]?.name ?? '',
    limits: { ...usualLimits, ...limits },
  });

/**
 * What every kernel does for every client, whatever makes it run, and `more` that is tried on the same one. What the service
 * itself sees to, its limits and what is refused, is in `kernelLimitsSuite`.
 */
export function kernelSuite(
  name: string,
  open: (how?: { readonly graceMs: number }) => Promise<KernelProvider>,
  more?: (kernel: () => KernelHandle) => void,
): void {
  describe(`a kernel of ${name}`, () => {
    let provider: KernelProvider;
    let kernel: KernelHandle;
    let client: KernelClient;
    let hasty: KernelProvider;
    let begunAgain: Promise<KernelHandle> | undefined;
    /** Has little time to stop, and is begun again once when it dies. */
    const oftenBegun = (): Promise<KernelHandle> => (begunAgain ??= startKernel(hasty, { restarts: 1 }));

    beforeAll(async () => {
      [provider, hasty] = await Promise.all([open(), open({ graceMs: 400 })]);
      kernel = await startKernel(provider);
      client = kernelClient(kernel);
    });

    afterAll(async () => void (await Promise.all([provider.close(), hasty.close()])));

    it('is listed among the kernel specs, and a kernel of another name is refused', async () => {
      expect(await provider.specs()).toContainEqual(expect.objectContaining({ name: 'python3', language: 'python' }));
      const wanted = { kernelId: '1', organisationId: '2', spec: 'cobol', limits: usualLimits };
      await expect(provider.start(wanted)).rejects.toMatchObject({ kind: 'not_found' });
    });

    it('answers a request for its information with its language', async () => {
      const info = await client.request('kernel_info_request', {});
      expect(info).toMatchObject({ status: 'ok', language_info: { name: 'python', file_extension: '.py' } });
    });

    it('says its states, the input, outputs and the reply in their order', async () => {
      const id = await client.begin('print("shown")\n6 * 7');
      await client.answerTo(id);
      const mine = client.heard.filter(({ parent, channel }) => parent === id && channel === 'iopub');
      expect(mine.map(({ type, content }) => content['execution_state'] ?? type)).toEqual([
        ...['busy', 'execute_input', 'stream', 'execute_result', 'idle'],
      ]);
      expect(mine.find(({ type }) => type === 'execute_result')?.content['data']).toEqual({ 'text/plain': '42' });
    });

    it('keeps names and counts cells, except silent ones', async () => {
      const first = await client.execute('kept = [1, 2]');
      await client.execute('hidden = 1', { silent: true, store_history: false });
      const second = await client.execute('kept + [hidden]');
      expect(second.outputs.at(-1)?.content['data']).toEqual({ 'text/plain': '[1, 2, 1]' });
      expect(Number(second.reply['execution_count'])).toBe(Number(first.reply['execution_count']) + 1);
    });

    it('keeps both streams apart, in any language', async () => {
      const { text } = await client.execute('import sys\nprint("größer 漢字 🐍")\nprint("wrong", file=sys.stderr)');
      expect([text('stdout'), text('stderr')]).toEqual(['größer 漢字 🐍\n', 'wrong\n']);
    });

    it('shows rich representations and updates them', async () => {
      const { outputs } = await client.execute(`
from IPython.display import display, HTML
shown = display(HTML('<b>bold</b>'), display_id='one')
shown.update(HTML('<i>other</i>'))`);
      const displays = outputs.filter(({ type }) => type.endsWith('display_data'));
      expect(displays.map(({ type, content }) => [type, content['data'], content['transient']])).toEqual([
        ['display_data', expect.objectContaining({ 'text/html': '<b>bold</b>' }), { display_id: 'one' }],
        ['update_display_data', expect.objectContaining({ 'text/html': '<i>other</i>' }), { display_id: 'one' }],
      ]);
    });

    it('shows as texts the numbers that JSON does not know', async () => {
      const { outputs } = await client.execute(`
from IPython.display import display
display({'application/json': {'a': float('nan'), 'b': [1.5, float('-inf')]}}, raw=True)`);
      const shown = outputs.find(({ type }) => type === 'display_data');
      expect(shown?.content['data']).toEqual({ 'application/json': { a: 'nan', b: [1.5, '-inf'] } });
    });

    it('tells errors with their trace, in code that does not compile too', async () => {
      const { reply, outputs } = await client.execute('def divide():\n    return 1 / 0\ndivide()');
      expect(reply).toMatchObject({ status: 'error', ename: 'ZeroDivisionError', evalue: 'division by zero' });
      expect(outputs.at(-1)).toMatchObject({ type: 'error', content: { ename: 'ZeroDivisionError' } });
      expect((reply['traceback'] as string[]).join('\n')).toContain('divide');
      expect((await client.execute('this is no code')).reply).toMatchObject({ ename: 'SyntaxError' });
    });

    it('tells of an error whose text cannot be made', async () => {
      const { reply, outputs } = await client.execute(
        'class Mute(Exception):\n    def __str__(self): raise ValueError()\nraise Mute()',
      );
      // Of the error, or of what its text raised.
      const ename = expect.stringMatching(/^(Mute|ValueError)$/);
      expect(reply).toMatchObject({ status: 'error', ename });
      expect(outputs.at(-1)).toMatchObject({ type: 'error', content: { ename } });
    });

    it('knows the magics of IPython, and its question mark', async () => {
      const timed = await client.execute('%timeit -n 2 -r 3 1 + 1');
      expect(timed.text('stdout')).toMatch(/per loop \(mean ± std. dev. of 3 runs, 2 loops each\)/);
      const cell = await client.execute('%%time\nof_a_magic = 6\nof_a_magic * 7');
      expect(cell.text('stdout')).toContain('Wall time');
      expect(cell.outputs.at(-1)?.content['data']).toEqual({ 'text/plain': '42' });
      const mixed = await client.execute('text = """\n%no magic\n"""\n%time 1\nfor i in [1]:\n    %time i\ntext');
      expect(mixed.outputs.at(-1)?.content['data']).toEqual({ 'text/plain': String.raw`'\n%no magic\n'` });
      const asked = await client.execute('len?');
      const [page] = asked.reply['payload'] as { source: string; data: Record<string, string> }[];
      expect(page).toMatchObject({
        source: 'page',
        data: { 'text/plain': expect.stringContaining('number of items') },
      });
      expect((await client.execute('still no code %')).reply).toMatchObject({ ename: 'SyntaxError' });
    });

    it('keeps cells and what came of them as In and Out', async () => {
      const { reply } = await client.execute('6 * 7');
      const count = Number(reply['execution_count']);
      const { outputs } = await client.execute(`In[${count}], Out[${count}], _`);
      expect(outputs.at(-1)?.content['data']).toEqual({ 'text/plain': "('6 * 7', 42, 42)" });
    });

    itWhere(noTimeZones, 'knows time zones', async () => {
      const { outputs } = await client.execute(
        "import datetime, zoneinfo\nstr(datetime.datetime(2026, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin')))",
      );
      expect(outputs.at(-1)?.content['data']).toEqual({ 'text/plain': "'2026-07-01 00:00:00+02:00'" });
    });

    it('goes on after too deep a recursion', async () => {
      expect((await client.execute('def deep(): deep()\ndeep()')).reply).toMatchObject({ ename: 'RecursionError' });
      expect((await client.execute('1')).reply).toMatchObject({ status: 'ok' });
    });

    it('leaves out what waits after an error, unless it was asked not to', async () => {
      const fails = 'import time\ntime.sleep(0.3)\n1 / 0';
      await client.begin(fails, { stop_on_error: true });
      const aborted = await client.post('after = 1');
      expect((await client.answerTo(aborted)).reply).toMatchObject({ status: 'aborted' });
      await client.begin(fails);
      expect((await client.execute('after = 1')).reply).toMatchObject({ status: 'ok' });
    });

    it('awaits at the top level of a cell', async () => {
      const { outputs } = await client.execute('import asyncio\nawait asyncio.sleep(0.01)\n"awaited"');
      expect(outputs.at(-1)?.content['data']).toEqual({ 'text/plain': "'awaited'" });
    });

    it('evaluates expressions beside a cell', async () => {
      const { reply } = await client.execute('x = 2', { user_expressions: { twice: 'x * 2', wrong: '1 / 0' } });
      expect(reply['user_expressions']).toMatchObject({
        twice: { status: 'ok', data: { 'text/plain': '4' } },
        wrong: { status: 'error', ename: 'ZeroDivisionError' },
      });
    });

    it('asks for input where the client gives it, and refuses it elsewhere', async () => {
      const id = await client.begin('answer = input("Your name? ")\nprint("Hello", answer)', { allow_stdin: true });
      const asked = await waitFor(() =>
        client.heard.find(({ channel, parent }) => channel === 'stdin' && parent === id),
      );
      expect(asked.content).toEqual({ prompt: 'Your name? ', password: false });
      await client.send('stdin', 'input_reply', { status: 'ok', value: 'Ada' });
      expect((await client.answerTo(id)).text('stdout')).toBe('Hello Ada\n');
      expect((await client.execute('input()')).reply).toMatchObject({ ename: 'StdinNotImplementedError' });
    });

    it('completes, explains and judges code', async () => {
      await client.execute('length_of_it = 1');
      expect(await client.request('complete_request', { code: 'length_o', cursor_pos: 8 })).toMatchObject({
        ...{ status: 'ok', matches: ['length_of_it'], cursor_start: 0, cursor_end: 8 },
      });
      const asked = { code: 'sorted', cursor_pos: 6, detail_level: 0 };
      expect(await client.request('inspect_request', asked)).toMatchObject({ status: 'ok', found: true });
      const judged = ['a = 1', 'for a in b:', 'a b c'].map((code) => client.request('is_complete_request', { code }));
      expect((await Promise.all(judged)).map(({ status }) => status)).toEqual(['complete', 'incomplete', 'invalid']);
      expect(await client.request('comm_info_request', {})).toMatchObject({ status: 'ok', comms: {} });
      const wanted = { output: false, raw: true, hist_access_type: 'tail', n: 0 };
      expect(await client.request('history_request', wanted)).toMatchObject({ status: 'ok', history: [] });
    });

    it('tells what it has been given to execute', async () => {
      for (const code of ['sought = 1', 'other = 2', 'sought = 3', 'sought = 1']) await client.execute(code);
      const historyOf = async (wanted: object): Promise<unknown[]> => {
        const asked = { output: false, raw: true, ...wanted };
        const { history } = await client.request('history_request', asked);
        return (history as [number, number, unknown][]).map(([, , code]) => code);
      };
      expect(await historyOf({ hist_access_type: 'tail', n: 2 })).toEqual(['sought = 3', 'sought = 1']);
      const last = { hist_access_type: 'range', session: 0, start: -2, stop: null };
      expect(await historyOf(last)).toEqual(['sought = 3', 'sought = 1']);
      const search = { hist_access_type: 'search', pattern: 'sought*' };
      expect(await historyOf({ ...search, n: 2 })).toEqual(['sought = 3', 'sought = 1']);
      const once = await historyOf({ ...search, n: 9, unique: true });
      expect(once.toSorted()).toEqual(['sought = 1', 'sought = 3']);
      expect(await historyOf({ hist_access_type: 'tail', n: 1, output: true })).toEqual([['sought = 1', null]]);
    });

    it.each([
      ['a busy loop', 'while True: pass'],
      ['a sleep', 'import time\ntime.sleep(600)'],
      ['an await', 'import asyncio\nawait asyncio.sleep(600)'],
      ['a flood of output', 'while True: print("x" * 100)'],
      ['a wait for input', 'input()'],
    ])('is interrupted in %s, and goes on', async (_, code) => {
      await client.execute('kept_over_interrupts = 1');
      const id = await client.begin(`print("begun")\n${code}`, { allow_stdin: true });
      await client.waitForText(id, 'begun');
      if (code === 'input()')
        await waitFor(() => client.heard.some(({ type, parent }) => type === 'input_request' && parent === id));
      await kernel.interrupt();
      // ipykernel says the latter for what is awaited.
      const ename = expect.stringMatching(/^(KeyboardInterrupt|CancelledError)$/);
      expect((await client.answerTo(id)).reply).toMatchObject({ status: 'error', ename });
      // The first one that is asked once the interrupt is answered, and not one of those behind it.
      expect((await client.execute('kept_over_interrupts')).reply).toMatchObject({ status: 'ok' });
    });

    it('takes the next cell once an interrupt is answered', async () => {
      for (let tries = 0; tries < 6; tries += 1) {
        const id = await client.begin('print("begun")\nwhile True: pass', { stop_on_error: true });
        await client.waitForText(id, 'begun');
        await kernel.interrupt();
        expect((await client.execute('1', { stop_on_error: true })).reply).toMatchObject({ status: 'ok' });
      }
    });

    it('is interrupted by a message on the control channel too', async () => {
      const id = await client.begin('print("begun")\nwhile True: pass');
      await client.waitForText(id, 'begun');
      await client.send('control', 'interrupt_request', {});
      expect((await client.answerTo(id)).reply).toMatchObject({ ename: 'KeyboardInterrupt' });
      expect(client.heard).toContainEqual(expect.objectContaining({ channel: 'control', type: 'interrupt_reply' }));
    });

    it('is killed and restarted when it does not stop, and what it was asked is answered', async () => {
      const stubborn = await oftenBegun();
      const own = kernelClient(stubborn);
      await own.execute('lost = 1');
      const id = await own.begin(`
def ignore_interrupts():
    while True:
        try:
            for _ in range(10**9): len("x")
        except KeyboardInterrupt: pass
print("begun")
ignore_interrupts()`);
      await own.waitForText(id, 'begun');
      await stubborn.interrupt();
      const { reply, text } = await own.answerTo(id);
      expect(reply).toMatchObject({ status: 'error', ename: 'DeadKernelError' });
      expect(text('stderr')).toContain('It did not stop when it was interrupted');
      await waitFor(() => own.heard.some(({ content }) => content['execution_state'] === 'restarting'));
      expect((await own.execute('lost')).reply).toMatchObject({ ename: 'NameError' });
    });

    it('restarts with the same listeners and an empty memory', async () => {
      await client.execute('lost = 1');
      await kernel.restart();
      expect((await client.execute('lost')).reply).toMatchObject({ ename: 'NameError', execution_count: 1 });
    });

    it('says to all who listen what one of them asked', async () => {
      const other = kernelClient(kernel);
      const id = await client.begin('"for both"');
      await client.answerTo(id);
      expect((await other.answerTo(id)).outputs).toHaveLength(2);
    });

    it('carries all of its output, up to ten megabytes', async () => {
      const lines = repetitions({ usual: 30, long: 140 });
      const { text } = await client.execute(`for _ in range(${lines}): print("y" * 65535)`);
      expect(text('stdout')).toHaveLength(lines * 65_536);
    });

    it('waits with its output for a listener that is slow', async () => {
      const slow = await oftenBegun();
      let released = (): void => undefined;
      const gate = new Promise<void>((resolve) => (released = resolve));
      const own = kernelClient(slow);
      const stopListening = slow.listen(async () => await gate);
      const lines = repetitions({ usual: 40, long: 100 });
      const id = await own.begin(`for _ in range(${lines}): print("z" * 65535)`);
      await waitFor(() => own.heard.length > 0);
      released();
      expect((await own.answerTo(id)).text('stdout')).toHaveLength(lines * 65_536);
      stopListening();
    });

    it('passes over what is no message', async () => {
      const parts = { header: '{}', parentHeader: '{}', metadata: '{}', content: '{}' };
      const message = (channel: 'shell' | 'iopub', changed: Partial<typeof parts>) => {
        const bytes = Object.entries({ ...parts, header: '{"msg_id":"1","msg_type":"x","session":"1"}', ...changed });
        const all = Object.fromEntries(bytes.map(([part, text]) => [part, Buffer.from(text)]));
        return { channel, buffers: [], ...(all as unknown as Record<keyof typeof parts, Buffer>) };
      };
      for (const wrong of [
        { header: '{}' },
        { header: 'x' },
        { parentHeader: '[]' },
        { metadata: '' },
        { content: '1' },
      ]) {
        await expect(kernel.send(message('shell', wrong))).rejects.toMatchObject({ kind: 'malformed' });
      }
      await expect(kernel.send(message('iopub', {}))).rejects.toMatchObject({ kind: 'malformed' });
      expect((await client.execute('1')).reply).toMatchObject({ status: 'ok' });
    });

    it('says why when it dies, answers what it was asked, and is begun again so often as it may', async () => {
      const dying = await oftenBegun();
      const own = kernelClient(dying);
      const die = 'import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGKILL)\nfinally:\n    os.abort()';
      const { reply, text } = await own.execute(die);
      expect(reply).toMatchObject({
        status: 'error',
        ename: 'DeadKernelError',
        evalue: expect.stringMatching(/^[A-Z]/),
      });
      expect(text('stderr')).toContain(`The kernel has died: ${String(reply['evalue'])}`);
      expect((await own.execute('print("again")')).text('stdout')).toBe('again\n');
      const states = own.heard.map(({ parent, content }) => parent === '' && content['execution_state']);
      expect(states.filter(Boolean)).toEqual(expect.arrayContaining(['restarting', 'idle']));
      expect((await own.execute(die)).reply).toMatchObject({ ename: 'DeadKernelError' });
      expect(await dying.died).toMatch(/^[A-Z]\w/);
      expect(own.heard.at(-1)).toMatchObject({ type: 'status', content: { execution_state: 'dead' } });
    });

    more?.(() => kernel);
  });
}

/** What the service sees to in the same way, whatever makes a kernel run (`liveKernel`), and so is tried on one kind of them. */
export function kernelLimitsSuite(name: string, open: () => Promise<KernelProvider>): void {
  describe(`the limits of a kernel of ${name}`, () => {
    let provider: KernelProvider;
    let limited: KernelHandle;
    beforeAll(async () => {
      provider = await open();
      limited = await startKernel(provider, { outputBytes: 100_000 });
    });
    afterAll(async () => await provider.close());

    it('cuts off output beyond its limit, says so once, and still answers', async () => {
      const own = kernelClient(limited);
      const { reply, text } = await own.execute('for _ in range(2000): print("w" * 100)');
      expect(reply).toMatchObject({ status: 'ok' });
      expect(text('stdout').length).toBeLessThanOrEqual(100_000);
      expect(text('stderr').match(/The output is longer than 100000 bytes/g)).toHaveLength(1);
      expect((await own.execute('print("again")')).text('stdout')).toBe('again\n');
    });

    it('is interrupted at its time limit', async () => {
      const hurried = await startKernel(provider, { executeSeconds: 1 });
      const { reply, text } = await kernelClient(hurried).execute('import time\ntime.sleep(600)');
      expect(reply).toMatchObject({ ename: 'KeyboardInterrupt' });
      expect(text('stderr')).toContain('The time limit of 1 s is reached');
      await hurried.shutdown();
    });

    it('ends when it is shut down, and refuses everything after that', async () => {
      const own = kernelClient(limited);
      await own.execute('1');
      await limited.shutdown();
      await limited.shutdown();
      for (const call of [() => own.execute('1'), () => limited.interrupt(), () => limited.restart()]) {
        await expect(call()).rejects.toMatchObject({ kind: 'unavailable' });
      }
    });
  });
}

/** What a kernel says that is in a sandbox; those of a server elsewhere have what it has. */
export function sandboxedKernelSuite(kernel: () => KernelHandle): void {
  describe('which starts no process', () => {
    it.each([
      ['!ls', 'there is no shell'],
      ['files = !ls', 'there is no shell'],
      ['%%bash\nls', 'there is no shell'],
      ['%pip install numpy', 'installs no packages'],
    ])('says of %j in one sentence why not', async (code, sentence) => {
      const { reply } = await kernelClient(kernel()).execute(code);
      expect(reply).toMatchObject({ status: 'error', ename: 'UsageError', evalue: expect.stringContaining(sentence) });
    });
  });
}
