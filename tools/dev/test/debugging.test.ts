import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort } from '@platform-backend/embedded';
import { waitFor } from '@platform-backend/testing';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RunFile } from '../src/run-file.ts';
import { spawnStarter, type StarterProcess } from './starter-process.ts';

const program = join(import.meta.dirname, 'fixtures/apps/identity/src/main.ts');

/** As an editor speaks to the inspector. */
async function attach(port: number) {
  let url: string | undefined;
  await waitFor(
    async () => {
      const targets = await fetch(`http://127.0.0.1:${port}/json/list`).then(
        (response) => response.json() as Promise<{ webSocketDebuggerUrl: string }[]>,
        () => [],
      );
      url = targets[0]?.webSocketDebuggerUrl;
      return url !== undefined;
    },
    { what: `an inspector on ${port}` },
  );
  const socket = new WebSocket(String(url));
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  const heard: { id?: number; method?: string; params?: unknown; result?: unknown }[] = [];
  socket.addEventListener('message', ({ data }) => heard.push(JSON.parse(String(data)) as (typeof heard)[number]));
  let id = 0;
  return {
    send: async (method: string, params: object = {}): Promise<unknown> => {
      const own = ++id;
      socket.send(JSON.stringify({ id: own, method, params }));
      await waitFor(() => heard.some((message) => message.id === own), { what: `the answer to ${method}` });
      return heard.find((message) => message.id === own)?.result;
    },
    happened: async (method: string): Promise<unknown> => {
      await waitFor(() => heard.some((message) => message.method === method), { what: method });
      return heard.find((message) => message.method === method)?.params;
    },
    close: () => socket.close(),
  };
}

describe('a service under the inspector', () => {
  let home: string;
  let port: number;
  let starter: StarterProcess;

  const start = async (env: Record<string, string> = {}): Promise<void> => {
    port = await freePort();
    const own = { PLATFORM_HOME: home, PLATFORM_PORT: String(await freePort()), INSPECTOR_PORT: String(port) };
    starter = spawnStarter({ ...own, ...env }, 'debug-small.ts');
  };

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'platform-home-'));
  });

  afterEach(async () => {
    starter.signal('SIGTERM');
    await starter.ended;
    rmSync(home, { recursive: true, force: true });
  });

  it('stops at a breakpoint in its .ts file, on the line that was written', async () => {
    await start();
    await starter.printed(/attach a debugger to 127\.0\.0\.1:\d+/);
    const debug = await attach(port);
    const lineNumber = readFileSync(program, 'utf8')
      .split('\n')
      .findIndex((line) => line.includes("response.end('identity')"));
    await debug.send('Debugger.enable');
    const url = pathToFileURL(program).href;
    await expect(debug.send('Debugger.setBreakpointByUrl', { url, lineNumber })).resolves.toMatchObject({
      locations: [{ lineNumber }],
    });
    const { services } = JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')) as RunFile;
    const answer = fetch(`http://${String(services['identity']?.address)}/`);
    const { callFrames } = (await debug.happened('Debugger.paused')) as { callFrames: { location: object }[] };
    expect(callFrames[0]?.location).toMatchObject({ lineNumber });
    await debug.send('Debugger.resume');
    await expect(answer.then((response) => response.text())).resolves.toBe('identity');
    debug.close();
  });

  it('waits for the debugger before its first line where that is wanted', async () => {
    await start({ INSPECTOR_WAITS: 'yes' });
    await starter.printed('identity waits for a debugger on');
    const debug = await attach(port);
    expect(starter.output()).not.toContain('platform ready');
    await debug.send('Runtime.enable');
    await debug.send('Debugger.enable');
    await debug.send('Runtime.runIfWaitingForDebugger');
    await debug.happened('Debugger.paused');
    await debug.send('Debugger.resume');
    await starter.printed('platform ready');
    debug.close();
  });

  it('is not started where another program has the port', async () => {
    const thief = createServer();
    await new Promise<void>((resolve) => thief.listen(0, '127.0.0.1', resolve));
    const taken = (thief.address() as { port: number }).port;
    await start({ INSPECTOR_PORT: String(taken) });
    await expect(starter.ended).resolves.toBe(1);
    expect(starter.output()).toContain(`Port ${taken} is in use by another program; choose another one with --port.`);
    thief.close();
  });
});
