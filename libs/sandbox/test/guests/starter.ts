/** Starts a guest and tells the word that stands on its command line; then it waits to be killed. */
import { once } from 'node:events';
import { join } from 'node:path';
import { openSandbox } from '../../src/index.ts';

const marker = `guest-of-${process.pid}`;
const sandbox = await openSandbox({ binary: process.env['BWRAP_BINARY'] });
const guest = sandbox.fork(join(import.meta.dirname, 'evaluate.ts'), {
  args: [marker],
  readable: [import.meta.dirname],
  memoryBytes: 2 ** 30,
});
await once(guest, 'message');
process.send?.(marker);
