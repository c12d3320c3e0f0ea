import { freePort } from '@platform-backend/embedded';
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from './wait-for.ts';

export interface JupyterServer {
  /** With a slash at its end. */
  readonly url: string;
  readonly token: string;
  readonly stop: () => Promise<void>;
}

/** Debian's Python, which has Debian's packages; PATH may begin with another one. */
const python = process.env['PYTHON_BINARY'] ?? '/usr/bin/python3';

/** Why there is no real Jupyter Server to be started here; undefined: there is one. */
export const jupyterServerLack = (): string | undefined =>
  spawnSync(python, ['-c', 'import jupyter_server, ipykernel'], { stdio: 'ignore' }).status === 0
    ? undefined
    : 'there is no Jupyter Server (on Debian: jupyter-server python3-ipykernel)';

/** A real one, of its own, with a folder of its own. */
export async function startJupyterServer(): Promise<JupyterServer> {
  const folder = mkdtempSync(join(tmpdir(), 'jupyter-'));
  const [port, token] = [await freePort(), randomUUID()];
  const options = ['--no-browser', '--ip=127.0.0.1', `--port=${port}`, '--ServerApp.port_retries=0', '--allow-root'];
  const rates = ['--ServerApp.iopub_data_rate_limit=0', '--ServerApp.iopub_msg_rate_limit=0'];
  const server = spawn(
    python,
    ['-m', 'jupyter_server', ...options, ...rates, `--ServerApp.token=${token}`, `--ServerApp.root_dir=${folder}`],
    {
      env: { PATH: '/usr/bin:/bin', HOME: folder, PYDEVD_DISABLE_FILE_VALIDATION: '1' },
      stdio: 'ignore',
    },
  );
  const url = `http://127.0.0.1:${port}/`;
  await waitFor(async () => (await fetch(`${url}api/status?token=${token}`)).ok, { what: 'the Jupyter Server' });
  return {
    url,
    token,
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
