import { debianProgram } from '@platform-backend/system-programs';
import { once } from 'node:events';
import { bubblewrap } from './bubblewrap.ts';
import type { Sandbox } from './sandbox.ts';
import { unprotected } from './unprotected.ts';

export interface OpenSandboxOptions {
  /** The bubblewrap to use, such as BWRAP_BINARY names; else the one on PATH. */
  readonly binary?: string | undefined;
  /** Where Debian's package may be unpacked when there is none; without it none is fetched. */
  readonly cacheDirectory?: string | undefined;
  readonly onProgress?: (text: string) => void;
}

/**
 * The best sandbox that this machine has. It is tried once: where bubblewrap is missing or may not make namespaces, as in
 * many containers, `kind` is `none` with the reason, and whoever runs code of several customers has to refuse.
 */
export async function openSandbox({ binary, cacheDirectory, onProgress }: OpenSandboxOptions = {}): Promise<Sandbox> {
  if (process.platform !== 'linux') return unprotected(`there is no bubblewrap for ${process.platform}`);
  const program =
    binary ?? (await debianProgram({ program: 'bwrap', debianPackage: 'bubblewrap', cacheDirectory, onProgress }));
  if (program === undefined) {
    return unprotected('bubblewrap is not on this machine (on Debian or Ubuntu: apt-get install bubblewrap)');
  }
  const sandbox = bubblewrap(program);
  const trouble = await sandboxProblem(sandbox);
  return trouble === undefined ? sandbox : unprotected(`bubblewrap does not work here: ${trouble}`);
}

/** Runs Node in it. If that ends well, everything that was asked of bubblewrap was done, or it would have refused. */
async function sandboxProblem(sandbox: Sandbox): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  try {
    const guest = sandbox.spawn(process.execPath, {
      args: ['--eval', ''],
      readable: [process.execPath],
      temporaryBytes: 2 ** 20,
      memoryBytes: 2 ** 30,
      output: 'pipe',
    });
    let said = '';
    guest.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-1000)));
    guest.stdout?.resume();
    timer = setTimeout(() => guest.kill('SIGKILL'), tryTimeoutMs);
    const [code, signal] = (await once(guest, 'close')) as [number | null, NodeJS.Signals | null];
    return code === 0 ? undefined : said.trim() || `it ended with ${signal ?? String(code)}`;
  } catch (error) {
    return String(error);
  } finally {
    clearTimeout(timer);
  }
}

const tryTimeoutMs = 30_000;
