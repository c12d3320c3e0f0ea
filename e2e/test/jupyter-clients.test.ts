import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jupyterServerLack, startJupyterServer, waitFor, type JupyterServer } from '@platform-backend/testing';
import { describeWhere, itWhere } from '@platform-backend/testing/where';
import { runJupyterScript } from '../src/jupyter-script.ts';
import { kernelsForOneLack } from '../src/kernels-here.ts';
import { expectOk, newCustomer } from '../src/people.ts';
import { platformWithKernels } from '../src/platform-with-kernels.ts';
import { sharedPlatform } from '../src/platform.ts';

const platform = sharedPlatform();
const lack = await kernelsForOneLack();
const python = process.env['PYTHON_BINARY'] ?? '/usr/bin/python3';

/** What every server has to show a client; that of Jupyter's own is the measure. */
const expected = {
  'has python': true,
  info: ['ok', 'python'],
  result: { execute_result: '42', status: 'ok' },
  stream: { stdout: 'out\n', stderr: 'err\n', status: 'ok' },
  state: [{ status: 'ok' }, { execute_result: '6', status: 'ok' }],
  display: { execute_result: '<b>7</b>', status: 'ok' },
  error: { error: 'ZeroDivisionError', status: 'error' },
  input: { stdout: 'Hi Ada\n', status: 'ok' },
  complete: 'ok',
  'is complete': 'incomplete',
  interrupted: { stdout: 'on\n', error: 'KeyboardInterrupt', status: 'error' },
  'after the interrupt': { execute_result: '5', status: 'ok' },
  'after the restart': { error: 'NameError', status: 'error' },
  'after a reconnection': { execute_result: '2', status: 'ok' },
  listed: true,
  'listed afterwards': false,
};

const opened: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of opened.reverse()) await close();
});

const urlOf = async (make: string, settings: Record<string, string>): Promise<string> => {
  const { url, stop } = await platformWithKernels(platform, make, settings);
  opened.push(stop);
  return url;
};

/** What the script sees of a platform that answers there, as somebody who pays for it. */
const seenAt = async (url: string) => {
  const ada = await newCustomer(platform, 'Ada');
  const server = { baseUrl: `${url}/notebooks/services/session/`, token: ada.token };
  const seen = await runJupyterScript(server, 'script.ipynb');
  const spent = async () => expectOk(await ada.call<{ purpose: string }[]>('GET', '/credits/transactions/?kind=DEBIT'));
  await waitFor(async () => (await spent()).some(({ purpose }) => purpose === 'kernel_minute'), { what: 'the debit' });
  return seen;
};

describe('the script of a real Jupyter client', () => {
  itWhere(lack, 'runs with the kernels of npm start, for credits by the minute', async () => {
    expect(await seenAt(platform.url)).toEqual(expected);
  });
});

describeWhere(jupyterServerLack(), 'the same script of a real Jupyter client', () => {
  let server: JupyterServer;
  beforeAll(async () => {
    server = await startJupyterServer();
    opened.push(server.stop);
  });

  it('sees the same of a real Jupyter Server', async () => {
    const { url, token } = server;
    expect(await runJupyterScript({ baseUrl: url, token }, 'script.ipynb')).toEqual(expected);
  });

  it('sees the same with kernels of ipykernel', async () => {
    const url = await urlOf('ipykernel', { NOTEBOOKS_PYTHON: python });
    expect(await seenAt(url)).toEqual(expected);
  });

  it('sees the same with kernels of a Jupyter Server elsewhere', async () => {
    const settings = { JUPYTER_URL: server.url, JUPYTER_TOKEN: server.token };
    expect(await seenAt(await urlOf('remote', settings))).toEqual(expected);
  });
});
