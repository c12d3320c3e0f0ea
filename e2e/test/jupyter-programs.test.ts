import { afterAll, expect, it } from '@jest/globals';
import { repetitions } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DEBIAN_PYTHON, kernelsForOneLack, pythonLack } from '../src/kernels-here.ts';
import { newCustomer } from '../src/people.ts';
import { platformWithKernels } from '../src/platform-with-kernels.ts';
import { sharedPlatform } from '../src/platform.ts';

const platform = sharedPlatform();
const lack =
  (repetitions({ usual: 0, long: 1 }) === 0 ? 'only the long form of a run does it' : undefined) ??
  (await kernelsForOneLack());
const execute = promisify(execFile);

const opened: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of opened) await close();
});

const suiteLack = lack ?? (await pythonLack('jupyter_kernel_test, jupyter_server, ipykernel, websocket'));
describeWhere(suiteLack, 'the suite of jupyter_kernel_test', () => {
  const program = fileURLToPath(new URL('../src/jupyter-programs/kernel_test.py', import.meta.url));
  type Failed = Readonly<Record<string, readonly string[]>>;
  const failedOf = async (environment: Record<string, string> = {}): Promise<Failed> => {
    const { stdout } = await execute(DEBIAN_PYTHON, [program], { env: { ...process.env, ...environment } });
    const failed = JSON.parse(stdout) as Failed;
    expect(Object.keys(failed).length).toBeGreaterThanOrEqual(12);
    return Object.fromEntries(Object.entries(failed).filter(([, what]) => what.length > 0));
  };
  const failedAt = async (url: string): Promise<Failed> => {
    const { token } = await newCustomer(platform, 'Ada');
    return failedOf({ GATEWAY_URL: `${url}/notebooks/services/session`, TOKEN: token });
  };
  /** "range": ipykernel answers a number of the session that its own messages do not have. */
  const OF_IPYKERNEL = { test_history: ['range'] };

  it('says of an ipykernel of the platform what it says of one of this machine', async () => {
    const { url, stop } = await platformWithKernels(platform, 'kernel-test', { NOTEBOOKS_PYTHON: DEBIAN_PYTHON });
    opened.push(stop);
    expect(await failedAt(url)).toEqual(OF_IPYKERNEL);
    expect(await failedOf()).toEqual(OF_IPYKERNEL);
  });

  it('has nothing to say of a kernel of npm start', async () => {
    expect(await failedAt(platform.url)).toEqual({});
  });
});

const nbconvertLack = lack ?? (await pythonLack('nbconvert, websocket, jupyter_server.gateway.managers'));
describeWhere(nbconvertLack, 'jupyter nbconvert', () => {
  it('executes a notebook with kernels of the platform, as the guide says', async () => {
    const { token } = await newCustomer(platform, 'Ada');
    const guide = readFileSync(new URL('../../docs/guides/notebooks.md', import.meta.url), 'utf8');
    const configuration = /```python\n(# gateway_kernels.py\n[^]*?)```/.exec(guide)?.[1] ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'nbconvert-'));
    const empty = { cell_type: 'code', metadata: {}, outputs: [], execution_count: null };
    const sources = ['import sys\nprint(sys.platform)', '1 / 0'];
    const cells = sources.map((source, at) => ({ ...empty, id: `cell-${at}`, source }));
    const notebook = { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 };
    writeFileSync(join(folder, 'revenue.ipynb'), JSON.stringify(notebook));
    writeFileSync(join(folder, 'gateway_kernels.py'), configuration.replace('http://127.0.0.1:8080', platform.url));
    const args = [
      '--config',
      'gateway_kernels.py',
      '--to',
      'notebook',
      '--execute',
      '--allow-errors',
      '--output',
      'again',
      'revenue.ipynb',
    ];
    await execute(DEBIAN_PYTHON, ['-m', 'nbconvert', ...args], { cwd: folder, env: { ...process.env, TOKEN: token } });
    const executed = JSON.parse(readFileSync(join(folder, 'again.ipynb'), 'utf8')) as typeof notebook;
    // Of Pyodide, so it was not executed here.
    expect(executed.cells).toMatchObject([
      { outputs: [{ output_type: 'stream', text: ['emscripten\n'] }] },
      { outputs: [{ output_type: 'error', ename: 'ZeroDivisionError' }] },
    ]);
    rmSync(folder, { recursive: true });
  });
});
