import { freePort } from '@platform-backend/embedded';
import { waitFor } from '@platform-backend/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChromium } from './chromium.ts';
import { DEBIAN_PYTHON } from './kernels-here.ts';

/** What a person sees of a cell. */
export interface SeenCell {
  /** The number in brackets; `*` while it waits or runs. */
  readonly prompt: string;
  /** Its reply and the word that the kernel is idle, behind all outputs, are both here. */
  readonly isOver: boolean;
  /** Of its outputs the last characters. */
  readonly text: string;
  readonly length: number;
  readonly pictures: number;
}

export interface ClassicNotebook {
  /** Writes it into a new cell and runs that. */
  run(source: string): Promise<void>;
  last(): Promise<SeenCell>;
  /** Of whatever the notebook tells in its bar or asks in a dialog. */
  told(): Promise<string>;
  stop(): Promise<void>;
}

/** Jupyter's classic Notebook in a browser, with the kernels of a gateway. */
export async function openClassicNotebook(gatewayUrl: string, token: string): Promise<ClassicNotebook> {
  const folder = mkdtempSync(join(tmpdir(), 'classic-notebook-'));
  const notebook = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 };
  writeFileSync(join(folder, 'revenue.ipynb'), JSON.stringify(notebook));
  const port = await freePort();
  const options = ['--no-browser', '--ip=127.0.0.1', `--port=${port}`, '--NotebookApp.port_retries=0', '--allow-root'];
  const server = spawn(
    DEBIAN_PYTHON,
    ['-m', 'notebook', ...options, '--NotebookApp.token=', `--gateway-url=${gatewayUrl}`],
    {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', HOME: folder, JUPYTER_GATEWAY_AUTH_TOKEN: token },
      stdio: 'ignore',
    },
  );
  const ended = once(server, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await waitFor(async () => (await fetch(`${url}/api/status`)).ok, { what: 'the Notebook to start' });
  const chromium = await startChromium();
  const page = await chromium.open(`${url}/notebooks/revenue.ipynb?kernel_name=python3`);
  await waitFor(() => page.evaluate<boolean>('Boolean(globalThis.Jupyter?.notebook?.kernel?.is_connected())'), {
    what: 'the kernel of the page',
  });
  return {
    async run(source) {
      await page.evaluate(`{
        const cell = Jupyter.notebook.insert_cell_at_bottom('code');
        cell.set_text(${JSON.stringify(source)});
        Jupyter.notebook.select(Jupyter.notebook.ncells() - 1);
        Jupyter.notebook.execute_cell();
      }`);
    },
    last: () =>
      page.evaluate<SeenCell>(`(() => {
        const [cell] = [...document.querySelectorAll('.code_cell')].slice(-1);
        const { textContent: text } = cell.querySelector('.output');
        return {
          isOver: !((Jupyter.notebook.get_cells().at(-1).last_msg_id ?? '') in Jupyter.notebook.kernel._msg_callbacks),
          prompt: /\\[(.*)\\]/.exec(cell.querySelector('.input_prompt').textContent)[1].trim(),
          text: text.slice(-2000),
          length: text.length,
          pictures: cell.querySelectorAll('.output img, .output svg').length,
        };
      })()`),
    told: () =>
      page.evaluate<string>(
        `[...document.querySelectorAll('#notification_area, .modal-body')].map((part) => part.textContent).join()`,
      ),
    async stop() {
      await chromium.stop();
      server.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
