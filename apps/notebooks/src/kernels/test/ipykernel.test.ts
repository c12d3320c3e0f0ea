import { expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { describeWhere, itWhere } from '@platform-backend/testing/where';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pythonHere, sandboxHere } from '../../../test/this-machine.ts';
import { startIpykernel } from '../providers/ipykernel/ipykernel-process.ts';
import { ipykernelProvider } from '../providers/ipykernel/ipykernel-provider.ts';
import type { Python } from '../providers/ipykernel/python.ts';
import { kernelClient } from './kernel-client.ts';
import { kernelSuite, startKernel } from './kernel-suite.ts';
import { commandLineOf } from './processes.ts';

const sandbox = await sandboxHere();
const { python, lack } = await pythonHere();
const notLinux = process.platform === 'linux' ? undefined : 'it is seen on Linux alone which processes there are';

describeWhere(lack, 'a kernel of ipykernel', () => {
  const found = python as Python;
  kernelSuite(`ipykernel (sandbox: ${sandbox.kind})`, () =>
    Promise.resolve(ipykernelProvider({ sandbox, python: found, warm: 1 })),
  );

  it('knows time zones, and finds the libraries that Debian names by links', async () => {
    const provider = ipykernelProvider({ sandbox, python: found });
    const kernel = await startKernel(provider);
    try {
      const client = kernelClient(kernel);
      const { text } = await client.execute(`
import os, zoneinfo
print(zoneinfo.ZoneInfo('Europe/Berlin').key, os.listdir('/etc/alternatives') != [])`);
      expect(text('stdout')).toBe('Europe/Berlin True\n');
    } finally {
      await provider.close();
    }
  });

  it('goes on after a print that is too large to be carried, and says so', async () => {
    const provider = ipykernelProvider({ sandbox, python: found });
    const kernel = await startKernel(provider, { memoryBytes: 2 ** 30 });
    try {
      const client = kernelClient(kernel);
      const { reply, text } = await client.execute('print("x" * 140_000_000)');
      expect(reply).toMatchObject({ status: 'ok' });
      expect(text('stderr')).toContain('in one piece: it is not shown');
      expect((await client.execute('print("again")')).text('stdout')).toBe('again\n');
    } finally {
      await provider.close();
    }
  });

  it('does not start for a service that stops meanwhile', async () => {
    const stopping = new AbortController();
    const options = { sandbox, python: found, memoryBytes: 2 ** 29, startTimeoutMs: 60_000, signal: stopping.signal };
    const starting = startIpykernel(options);
    stopping.abort();
    await expect(starting).rejects.toThrow('It was ended');
  });

  const owner = join(import.meta.dirname, 'ipykernel-owner.ts');
  itWhere(notLinux, 'ends with its service, whatever the sandbox sees to', async () => {
    const service = fork(owner, [found.program], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
    const [kernel] = (await once(service, 'message')) as [number];
    expect(commandLineOf(kernel)).toContain('connection.json');
    service.kill('SIGKILL');
    await waitFor(() => commandLineOf(kernel) === '', { what: 'the end of the kernel' });
  });
});
