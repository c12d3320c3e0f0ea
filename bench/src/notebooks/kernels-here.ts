import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Undefined: none is here. */
export async function pythonWithIpykernel(): Promise<string | undefined> {
  for (const program of [process.env['PYTHON_BINARY'], '/usr/bin/python3', 'python3']) {
    const found = program && (await promisify(execFile)(program, ['-c', 'import ipykernel']).catch(() => undefined));
    if (found) return program;
  }
  return undefined;
}

/** Waits until the kernels that are kept ready have started: they do nothing any more. */
export async function quiet(kernelsCpu: () => number): Promise<void> {
  for (let before = NaN, now = kernelsCpu(); !(now - before < QUIET_MICROS); now = kernelsCpu()) {
    before = now;
    await delay(QUIET_MS);
  }
}

const QUIET_MS = 700;
const QUIET_MICROS = 30_000;
