/**
 * A process that has an ipykernel of the Python named, to be killed; it says which process that is, once it speaks. Its sandbox
 * does not end guests with it, as none does before it has begun to.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { startIpykernel } from '../providers/ipykernel/ipykernel-process.ts';
import { findPython } from '../providers/ipykernel/python.ts';

const [program = ''] = process.argv.slice(2);
const python = await findPython(program);
if (!python) throw new Error(`${program} has no ipykernel`);
let kernel: ChildProcess | undefined;
await startIpykernel({
  python,
  memoryBytes: 2 ** 30,
  startTimeoutMs: 120_000,
  signal: new AbortController().signal,
  sandbox: {
    kind: 'none',
    hasOwnPaths: false,
    fork: () => {
      throw new Error('an ipykernel is no module of Node');
    },
    spawn: (command, { args = [], environment, pipes = 0 }) =>
      (kernel = spawn(command, args, {
        env: { ...environment },
        stdio: ['ignore', 'ignore', 'ignore', 'ignore', ...Array<'pipe'>(pipes).fill('pipe')],
      })),
  },
});
process.send?.(kernel?.pid);
