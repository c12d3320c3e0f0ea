import { describe, expect, it } from '@jest/globals';
import { openSandbox } from '@platform-backend/sandbox';
import { waitFor } from '@platform-backend/testing';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startIpykernel } from '../../src/kernels/ipykernel/ipykernel-process.ts';
import { ipykernelProvider } from '../../src/kernels/ipykernel/ipykernel-provider.ts';
import { findPython, type Python } from '../../src/kernels/ipykernel/python.ts';
import { kernelSuite } from './kernel-suite.ts';
import { commandLineOf } from './processes.ts';

const sandbox = await openSandbox({
  binary: process.env['BWRAP_BINARY'],
  cacheDirectory: join(tmpdir(), 'platform-programs'),
});
/** Debian's, which `apt-get install python3-ipykernel` gives ipykernel to; PATH may begin with another one. */
const candidates = [process.env['PYTHON_BINARY'], '/usr/bin/python3', 'python3'].filter((name) => name !== undefined);
let python: Python | undefined;
for (const candidate of candidates) python ??= await findPython(candidate);

if (python === undefined) {
  process.stderr.write(
    'no Python has ipykernel here (on Debian: apt-get install python3-ipykernel): its kernels are not tested\n',
  );
  describe.skip('a kernel of ipykernel', () => {
    it('is tested where Python has it', () => undefined);
  });
} else {
  const found = python;
  kernelSuite(`ipykernel (sandbox: ${sandbox.kind})`, () =>
    Promise.resolve(ipykernelProvider({ sandbox, python: found, warm: 1 })),
  );

  it('does not start for a service that stops meanwhile', async () => {
    const stopping = new AbortController();
    const options = { sandbox, python: found, memoryBytes: 2 ** 29, startTimeoutMs: 60_000, signal: stopping.signal };
    const starting = startIpykernel(options);
    stopping.abort();
    await expect(starting).rejects.toThrow('It was ended');
  });

  const owner = join(import.meta.dirname, 'ipykernel-owner.ts');
  (process.platform === 'linux' ? it : it.skip)('ends with its service, whatever the sandbox sees to', async () => {
    const service = fork(owner, [found.program], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
    const [kernel] = (await once(service, 'message')) as [number];
    expect(commandLineOf(kernel)).toContain('connection.json');
    service.kill('SIGKILL');
    await waitFor(() => commandLineOf(kernel) === '', { what: 'the end of the kernel' });
  });
}
