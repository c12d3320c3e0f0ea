import { expect, it } from '@jest/globals';
import { readConfiguration } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { repetitions, waitFor } from '@platform-backend/testing';
import { describeWhere, itWhere } from '@platform-backend/testing/where';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lackOfModules, pythonHere, sandboxHere } from '../../../test/this-machine.ts';
import { startIpykernel } from '../providers/ipykernel/ipykernel-process.ts';
import { ipykernelProvider } from '../providers/ipykernel/ipykernel-provider.ts';
import type { Python } from '../providers/ipykernel/python.ts';
import { kernelMessage, readHeader } from '../providers/jupyter/messages.ts';
import { openKernels } from '../providers/open-kernels.ts';
import { providerSettings } from '../providers/provider-settings.ts';
import { folderInMemory } from './folder-in-memory.ts';
import { kernelClient } from './kernel-client.ts';
import { kernelFolderSuite } from './kernel-folder-suite.ts';
import { kernelSuite, sandboxedKernelSuite, startKernel } from './kernel-suite.ts';
import { ownersInMemory } from './owners-in-memory.ts';
import { commandLineOf } from './processes.ts';

const sandbox = await sandboxHere();
const { python, lack } = await pythonHere();
const noNumbers = await lackOfModules(python, ['numpy', 'pandas', 'matplotlib']);
const noSandbox = sandbox.kind === 'none' ? 'there is no sandbox here, and so no limit' : undefined;
const notLinux = process.platform === 'linux' ? undefined : 'it is seen on Linux alone which processes there are';

describeWhere(lack, 'a kernel of ipykernel', () => {
  const found = python as Python;
  kernelSuite(
    `ipykernel (sandbox: ${sandbox.kind})`,
    (how) => Promise.resolve(ipykernelProvider({ sandbox, python: found, warm: how ? 0 : 1, ...how })),
    (kernel) => {
      sandboxedKernelSuite(kernel);

      it('has a folder to write to, a user, shared memory and queues', async () => {
        const client = kernelClient(kernel());
        const { text, reply } = await client.execute(`
import getpass, multiprocessing, os
from multiprocessing.shared_memory import SharedMemory
open('x.csv', 'w').write('a,b')
print(os.listdir(), getpass.getuser())
queue = multiprocessing.Queue()
queue.put(1)
print(queue.get(timeout=10))
memory = SharedMemory(create=True, size=1000)
memory.unlink()`);
        expect([reply, text('stdout')]).toMatchObject([{ status: 'ok' }, "['x.csv'] notebook\n1\n"]);
      });

      itWhere(noNumbers, 'imports numpy, pandas and matplotlib, and shows a picture', async () => {
        const client = kernelClient(kernel());
        const { reply, outputs } = await client.execute(`
import numpy, pandas
%matplotlib inline
import matplotlib.pyplot as plt
frame = pandas.DataFrame({'a': numpy.arange(3), 'at': pandas.date_range('2026-01-01', periods=3, tz='Europe/Berlin')})
frame.to_csv('frame.csv')
pandas.read_csv('frame.csv').plot(y='a')
plt.show()
frame`);
        expect(reply).toMatchObject({ status: 'ok' });
        const data = outputs.map(({ content }) => content['data'] as Record<string, string> | undefined);
        const picture = data.find((shown) => shown?.['image/png'])?.['image/png'] ?? '';
        expect(Buffer.from(picture, 'base64').subarray(1, 4).toString()).toBe('PNG');
        expect(data.at(-1)).toMatchObject({ 'text/html': expect.stringContaining('2026-01-03 00:00:00+01:00') });
      });
    },
  );
  kernelFolderSuite('ipykernel', () => Promise.resolve(ipykernelProvider({ sandbox, python: found })));

  itWhere(noSandbox, 'keeps what others bring as it is where there is no room for it', async () => {
    const provider = ipykernelProvider({ sandbox, python: found, folderBytes: 2 ** 21 });
    try {
      const folder = folderInMemory();
      const kernel = await startKernel(provider, {}, { folder });
      const client = kernelClient(kernel);
      await client.execute('open("of_a_cell", "wb").write(bytes(1_500_000))');
      folder.files.set('of_a_member', Buffer.alloc(1_500_000));
      await kernel.refresh?.();
      await client.execute('open("after", "w").write("x")');
      expect([...folder.files].map(([path, bytes]) => [path, bytes?.length])).toEqual([
        ['of_a_cell', 1_500_000],
        ['of_a_member', 1_500_000],
        ['after', 1],
      ]);
    } finally {
      await provider.close();
    }
  });

  it('goes on after a print that is too large to be carried, and says so', async () => {
    const megabytes = repetitions({ usual: 4, long: 128 });
    const provider = ipykernelProvider({ sandbox, python: found, messageBytes: megabytes * 2 ** 20 });
    const kernel = await startKernel(provider, { memoryBytes: 2 ** 30 });
    try {
      const client = kernelClient(kernel);
      const { reply, text } = await client.execute(`print("x" * ${megabytes + 6} * 2**20)`);
      expect(reply).toMatchObject({ status: 'ok' });
      expect(text('stderr')).toContain('in one piece: it is not shown');
      expect((await client.execute('print("again")')).text('stdout')).toBe('again\n');
    } finally {
      await provider.close();
    }
  });

  it('is tried when the service starts: one that does not is said at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'python-'));
    const program = join(folder, 'broken-python');
    // It answers what it is asked, and is not there in the sandbox.
    writeFileSync(program, `#!/bin/sh\n[ "$1" = -I ] && exec ${found.program} "$@"\nexit 7\n`, { mode: 0o755 });
    const settings = readConfiguration({ NOTEBOOKS_PYTHON: program }, providerSettings);
    const logger = createLogger({ service: 'notebooks', level: 'silent' });
    await expect(openKernels(settings, logger, ownersInMemory())).rejects.toThrow(
      `NOTEBOOKS_PYTHON names ${program}, whose kernels do not start`,
    );
    rmSync(folder, { recursive: true });
  });

  it('answers each of two interrupts of one cell', async () => {
    const options = { sandbox, python: found, memoryBytes: 2 ** 29, startTimeoutMs: 60_000 };
    const kernel = await startIpykernel({ ...options, signal: new AbortController().signal });
    try {
      const begun = Promise.withResolvers<undefined>();
      kernel.receive(async (message) => {
        // Busy is said a moment before the cell begins; a signal that comes in between meets none.
        if (readHeader(message.header)?.msg_type === 'stream') begun.resolve(undefined);
        return Promise.resolve();
      });
      const code = {
        code: 'import time\nprint("begun")\ntime.sleep(600)',
        silent: false,
        store_history: true,
        allow_stdin: false,
      };
      await kernel.send(kernelMessage('shell', 'execute_request', code, { session: 'a session' }));
      await begun.promise;
      await Promise.all([kernel.interrupt(), kernel.interrupt()]);
    } finally {
      await kernel.end();
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
