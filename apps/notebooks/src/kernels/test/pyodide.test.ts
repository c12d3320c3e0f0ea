import { afterAll, expect, it } from '@jest/globals';
import { sandboxHere } from '../../../test/this-machine.ts';
import { pyodideProvider } from '../providers/pyodide/pyodide-provider.ts';
import { kernelClient } from './kernel-client.ts';
import { kernelFolderSuite, kernelSuite, sandboxedKernelSuite, startKernel } from './kernel-suite.ts';

const sandbox = await sandboxHere();

kernelSuite(`Pyodide (sandbox: ${sandbox.kind})`, () => Promise.resolve(pyodideProvider({ sandbox, warm: 1 })));
kernelFolderSuite('Pyodide', () => Promise.resolve(pyodideProvider({ sandbox, warm: 1 })));
sandboxedKernelSuite('Pyodide', () => Promise.resolve(pyodideProvider({ sandbox })));

const provider = pyodideProvider({ sandbox, warm: 0 });
afterAll(() => provider.close());

it('draws random numbers of its own, though all begin with one snapshot', async () => {
  const code = 'import random, uuid; print(random.random(), uuid.uuid4(), random.SystemRandom().random())';
  const draw = async () =>
    (await kernelClient(await startKernel(provider)).execute(code)).text('stdout').trim().split(' ');
  const [one, other] = [await draw(), await draw()];
  expect(one).toHaveLength(3);
  expect(one.filter((value) => other.includes(value))).toEqual([]);
});

it('says in words that it went too deep, where Python itself does not notice', async () => {
  const kernel = await startKernel(provider, { restarts: 1 });
  const client = kernelClient(kernel);
  const { reply } = await client.execute('import json\njson.loads("[" * 100_000)');
  expect(reply).toMatchObject({ ename: 'DeadKernelError', evalue: 'It called deeper than there is room for' });
  expect((await client.execute('1')).reply).toMatchObject({ status: 'ok' });
});

it('says that it cut what was printed in one piece', async () => {
  const client = kernelClient(await startKernel(provider));
  const { text } = await client.execute('print("x" * 10_600_000)');
  expect(text('stderr')).toContain('The output is longer than 10485760 bytes');
});

it('takes the next cell once an interrupt is answered', async () => {
  const kernel = await startKernel(provider);
  const client = kernelClient(kernel);
  for (let tries = 0; tries < 6; tries += 1) {
    const id = await client.begin('print("begun")\nwhile True: pass', { stop_on_error: true });
    await client.waitForText(id, 'begun');
    await kernel.interrupt();
    expect((await client.execute('1', { stop_on_error: true })).reply).toMatchObject({ status: 'ok' });
  }
});

it('is interrupted from the moment on in which it says that it is busy', async () => {
  const kernel = await startKernel(provider);
  const client = kernelClient(kernel);
  await client.execute('kept = 1');
  for (let tries = 0; tries < 30; tries += 1) {
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
