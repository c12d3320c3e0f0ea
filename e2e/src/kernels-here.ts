import { openSandbox } from '@platform-backend/sandbox';
import type { Lack } from '@platform-backend/testing/where';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/**
 * Why journeys have no kernels: without a sandbox these are for the first organisation that starts one. The journeys share a
 * platform, and that organisation is the one of `npm run demo`.
 */
export const kernelsForOneLack = async (): Promise<Lack> => {
  const { kind, reason = 'there is no sandbox' } = await openSandbox({ binary: process.env['BWRAP_BINARY'] });
  return kind === 'none' ? reason : undefined;
};

/** `apt-get install` gives it packages; PATH may begin with another one. */
export const DEBIAN_PYTHON = '/usr/bin/python3';

/** Why nothing here can run notebooks as nbclient does, with the kernels of a gateway. */
export const nbclientLack = (): Promise<Lack> => pythonLack('nbclient, websocket, jupyter_server.gateway.managers');

/** Which of these modules Debian's Python lacks. */
export async function pythonLack(modules: string): Promise<Lack> {
  try {
    await promisify(execFile)(DEBIAN_PYTHON, ['-c', `import ${modules}`]);
    return undefined;
  } catch {
    return `Debian's Python has not all of ${modules}`;
  }
}
