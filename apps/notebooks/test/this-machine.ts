import { openSandbox } from '@platform-backend/sandbox';
import { programsDirectory } from '@platform-backend/testing';
import type { Lack } from '@platform-backend/testing/where';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findPython, type Python } from '../src/kernels/providers/ipykernel/python.ts';

/** The best sandbox that this machine has, as the service opens it. */
export const sandboxHere = () =>
  openSandbox({ binary: process.env['BWRAP_BINARY'], cacheDirectory: programsDirectory() });

/** Debian's, which `apt-get install python3-ipykernel` gives ipykernel to; PATH may begin with another one. */
const candidates = [process.env['PYTHON_BINARY'], '/usr/bin/python3', 'python3'].filter((name) => name !== undefined);

/** A Python that has ipykernel, as the service looks for it in the one that is named. */
export async function pythonHere(): Promise<{ readonly python: Python | undefined; readonly lack: Lack }> {
  let python: Python | undefined;
  for (const candidate of candidates) python ??= await findPython(candidate);
  return { python, lack: python ? undefined : 'no Python has ipykernel (on Debian: python3-ipykernel)' };
}

/** What a Python lacks of these modules. */
export async function lackOfModules(python: Python | undefined, modules: readonly string[]): Promise<Lack> {
  if (!python) return 'no Python has ipykernel';
  try {
    await promisify(execFile)(python.program, ['-I', '-c', `import ${modules.join(', ')}`]);
    return undefined;
  } catch {
    return `${python.program} does not have all of ${modules.join(', ')} (on Debian: ${modules.map((name) => `python3-${name}`).join(' ')})`;
  }
}
