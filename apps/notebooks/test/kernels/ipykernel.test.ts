import { describe, it } from '@jest/globals';
import { openSandbox } from '@platform/sandbox';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ipykernelProvider } from '../../src/kernels/ipykernel/ipykernel-provider.ts';
import { findPython, type Python } from '../../src/kernels/ipykernel/python.ts';
import { kernelSuite } from './kernel-suite.ts';

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
}
