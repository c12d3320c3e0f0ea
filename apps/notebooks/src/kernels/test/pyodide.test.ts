import { afterAll, expect, it } from '@jest/globals';
import { repetitions } from '@platform-backend/testing';
import { sandboxHere } from '../../../test/this-machine.ts';
import type { KernelHandle } from '../domain/kernel-provider.ts';
import { pyodideProvider } from '../providers/pyodide/pyodide-provider.ts';
import { kernelClient } from './kernel-client.ts';
import { kernelFolderSuite } from './kernel-folder-suite.ts';
import { kernelLimitsSuite, kernelSuite, sandboxedKernelSuite, startKernel } from './kernel-suite.ts';

const sandbox = await sandboxHere();

/** Deep in Python, in both in turn, in C, and in the compiler. */
const tooDeep = {
  'a function that calls itself': 'def f(): return f()\nf()',
  'a function in a C function in itself': 'def f(): return sorted([1, 2], key=lambda _: f())\nf()',
  'text of JSON': 'import json\njson.loads("[" * 3_000_000)',
  'a source': 'eval("(" * 100_000)',
};

const provider = pyodideProvider({ sandbox, warm: 0 });
afterAll(() => provider.close());
const open = () => Promise.resolve(pyodideProvider({ sandbox }));

kernelFolderSuite('Pyodide', open);
kernelLimitsSuite('Pyodide', open);
kernelSuite(
  `Pyodide (sandbox: ${sandbox.kind})`,
  (how) => Promise.resolve(pyodideProvider({ sandbox, warm: how ? 0 : 1, ...how })),
  (kernel) => {
    sandboxedKernelSuite(kernel);
    pyodideSuite(kernel);
  },
);

/** What this Python does besides what every kernel does. */
function pyodideSuite(kernelOf: () => KernelHandle): void {
  it('draws random numbers of its own, though all begin with one snapshot', async () => {
    const code = 'import random, uuid; print(random.random(), uuid.uuid4(), random.SystemRandom().random())';
    const draw = async (kernel: KernelHandle) =>
      (await kernelClient(kernel).execute(code)).text('stdout').trim().split(' ');
    const [one, other] = [await draw(kernelOf()), await draw(await startKernel(provider))];
    expect(one).toHaveLength(3);
    expect(one.filter((value) => other.includes(value))).toEqual([]);
  });

  it.each(Object.entries(tooDeep))('raises an exception at what goes too deep, and goes on: %s', async (_, code) => {
    const client = kernelClient(kernelOf());
    const { reply, outputs } = await client.execute(code);
    expect(reply).toMatchObject({ status: 'error', ename: code.startsWith('eval') ? 'SyntaxError' : 'RecursionError' });
    expect(outputs.filter(({ type }) => type === 'error')).toHaveLength(1);
    expect((await client.execute('print("on")')).text('stdout')).toBe('on\n');
  });

  it('reads JSON and writes lists that are nested deep, where there is room for it', async () => {
    const client = kernelClient(kernelOf());
    const { reply } = await client.execute('import json\njson.loads("[" * 100_000)');
    expect(reply).toMatchObject({ status: 'error', ename: 'JSONDecodeError' });
    const { text } = await client.execute('a = []\nfor _ in range(20_000): a = [a]\nprint(len(repr(a)))');
    expect(text('stdout')).toBe('40002\n');
  });

  it('has comms, by which widgets and their views speak to each other', async () => {
    const kernel = kernelOf();
    const client = kernelClient(kernel);
    const buffers: string[][] = [];
    kernel.listen((message) => {
      if (message.buffers.length > 0) buffers.push(message.buffers.map((bytes) => Buffer.from(bytes).toString()));
    });
    const opened = await client.execute(`
from comm import create_comm, get_comm_manager
def take(comm, message):
    comm.on_msg(lambda message: comm.send({"twice": message["content"]["data"]["x"] * 2}))
get_comm_manager().register_target("doubling", take)
widget = create_comm(target_name="jupyter.widget", data={"state": {}}, buffers=[b"abc", memoryview(b"de")])`);
    expect(opened.outputs.map(({ type }) => type)).toEqual(['execute_input', 'comm_open']);
    expect(buffers).toEqual([['abc', 'de']]);
    await client.send('shell', 'comm_open', { comm_id: 'c1', target_name: 'doubling', data: {} });
    const twice = await client.send('shell', 'comm_msg', { comm_id: 'c1', data: { x: 21 } });
    const broken = await client.send('shell', 'comm_msg', { comm_id: 'c1', data: {} });
    const unknown = await client.send('shell', 'comm_open', { comm_id: 'c2', target_name: 'nobody', data: {} });
    expect(await client.request('comm_info_request', { target_name: 'doubling' })).toMatchObject({
      comms: { c1: { target_name: 'doubling' } },
    });
    const heardOf = (id: string) =>
      client.heard.filter(({ parent, type }) => parent === id && type !== 'status').map(({ content }) => content);
    expect(heardOf(twice)).toEqual([{ comm_id: 'c1', data: { twice: 42 } }]);
    expect(JSON.stringify(heardOf(broken))).toContain('KeyError');
    expect(heardOf(unknown)).toEqual([{ comm_id: 'c2', data: {} }]);
  });

  it('goes on after a comm that says more than one message has', async () => {
    const client = kernelClient(kernelOf());
    const said = await client.execute(`
from comm import create_comm
widget = create_comm(target_name="jupyter.widget")
widget.send({}, buffers=[b"x"] * 65)
widget.send({}, metadata={"x": "x" * (16 * 2**20)})
print("on")`);
    expect(said.reply).toMatchObject({ status: 'ok' });
    expect(said.text('stderr')).toMatch(/with 65 buffers is too long[^]*is too long/);
    expect(said.text('stdout')).toBe('on\n');
  });

  it('waits within a cell for what a cell lets run', async () => {
    const client = kernelClient(kernelOf());
    const run =
      'import asyncio\nasync def sum_later(a, b):\n  await asyncio.sleep(0)\n  return a + b\ndef now(): return asyncio.run(sum_later(1, 2))';
    await client.execute(run);
    expect((await client.execute('print(now())')).text('stdout')).toBe('3\n');
    expect((await client.execute('print(await sum_later(3, 4))')).text('stdout')).toBe('7\n');
  });

  it('says that it cut what was printed in one piece', async () => {
    const client = kernelClient(kernelOf());
    const { text } = await client.execute('print("x" * 10_600_000)');
    expect(text('stderr')).toContain('The output is longer than 10485760 bytes');
  });

  it('is interrupted from the moment on in which it says that it is busy', async () => {
    const kernel = kernelOf();
    const client = kernelClient(kernel);
    await client.execute('kept = 1');
    for (let tries = 0; tries < repetitions({ usual: 10, long: 30 }); tries += 1) {
      const busy = Promise.withResolvers<undefined>();
      const stopListening = kernel.listen(({ channel, content }) => {
        if (channel === 'iopub' && Buffer.from(content).includes('"busy"')) busy.resolve(undefined);
      });
      const id = await client.post('while True: pass');
      await busy.promise;
      await kernel.interrupt();
      stopListening();
      expect((await client.answerTo(id)).reply).toMatchObject({ ename: 'KeyboardInterrupt' });
    }
    // Nothing was restarted.
    expect((await client.execute('kept')).reply).toMatchObject({ status: 'ok' });
  });

  /** Where nothing of a cell runs, an interrupt would hit what carries the tasks of Python from one to the next. */
  it.each([
    ['in a loop behind an await', 'import asyncio\nawait asyncio.sleep(0)\nprint("begun")\nwhile True: pass'],
    [
      'between many short awaits',
      'import asyncio\nfor turn in range(10**9):\n    if turn == 3: print("begun")\n    await asyncio.sleep(0)',
    ],
    [
      'in asyncio.run',
      'import asyncio\nasync def long():\n    print("begun")\n    await asyncio.sleep(600)\nasyncio.run(long())',
    ],
  ])('is interrupted %s, and keeps its memory', async (_, code) => {
    const kernel = kernelOf();
    const client = kernelClient(kernel);
    await client.execute('kept = 1');
    for (let tries = 0; tries < repetitions({ usual: 3, long: 50 }); tries += 1) {
      const id = await client.post(code);
      await client.waitForText(id, 'begun');
      await kernel.interrupt();
      expect((await client.answerTo(id)).reply).toMatchObject({ ename: 'KeyboardInterrupt' });
    }
    expect((await client.execute('kept')).reply).toMatchObject({ status: 'ok' });
  });

  it('passes over the magics of what is not here', async () => {
    const { outputs } = await kernelClient(kernelOf()).execute('%matplotlib inline\n6 * 7');
    expect(outputs.at(-1)?.content['data']).toEqual({ 'text/plain': '42' });
  });
}
