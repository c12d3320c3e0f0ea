import { findOnPath } from '@platform-backend/system-programs';
import type { Lack } from '@platform-backend/testing/where';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A page of a browser that nobody sees, with what tests do in it. */
export interface Page {
  open(url: string): Promise<void>;
  /** What an expression is in the page, as JSON has it; a promise is awaited. */
  evaluate<Value>(expression: string): Promise<Value>;
  close(): Promise<void>;
}

interface Answer {
  readonly id?: number;
  readonly result?: object;
  readonly error?: { readonly message: string };
}

const browserHere = ['chromium', 'google-chrome'].find((name) => findOnPath(name));

const ARGUMENTS = [
  ...['--headless=new', '--disable-gpu', '--remote-debugging-port=0', '--disable-background-networking'],
  // Root has no sandbox of Chromium's, and containers have little room in /dev/shm.
  ...['--no-sandbox', '--disable-dev-shm-usage'],
];

/** Why nothing can be looked at here as a person does. */
export const browserLack: Lack = browserHere === undefined ? 'there is no browser (on Debian: chromium)' : undefined;

/** The browser of this machine, over its DevTools protocol. */
export async function openPage(): Promise<Page> {
  if (browserHere === undefined) throw new Error(browserLack);
  const profile = mkdtempSync(join(tmpdir(), 'browser-'));
  const browser = spawn(
    // It must not outlive a test run that is ended the hard way.
    'setpriv',
    ['--pdeathsig', 'KILL', browserHere, ...ARGUMENTS, `--user-data-dir=${profile}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(browser, 'exit');
  let address = '';
  for await (const line of createInterface(browser.stderr)) {
    address = /DevTools listening on (\S+)/.exec(line)?.[1] ?? '';
    if (address !== '') break;
  }
  browser.stderr.resume();
  if (address === '') throw new Error('the browser does not start');
  const pages = (await (await fetch(`http://${new URL(address).host}/json/list`)).json()) as {
    type: string;
    webSocketDebuggerUrl: string;
  }[];
  const page = pages.find(({ type }) => type === 'page');
  if (!page) throw new Error('the browser has no page');
  const socket = new WebSocket(page.webSocketDebuggerUrl);
  await once(socket, 'open');
  const asked = new Map<number, PromiseWithResolvers<object>>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as Answer;
    const waiting = id === undefined ? undefined : asked.get(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result ?? {});
  });
  let last = 0;
  const ask = async (method: string, params: object): Promise<object> => {
    last += 1;
    const answer = Promise.withResolvers<object>();
    asked.set(last, answer);
    socket.send(JSON.stringify({ id: last, method, params }));
    return answer.promise;
  };
  return {
    open: async (url) => void (await ask('Page.navigate', { url })),
    async evaluate<Value>(expression: string) {
      const { result, exceptionDetails } = (await ask('Runtime.evaluate', {
        ...{ expression, returnByValue: true, awaitPromise: true },
      })) as { result: { value: Value }; exceptionDetails?: { exception?: { description?: string } } };
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? 'an exception in the page');
      return result.value;
    },
    async close() {
      socket.close();
      browser.kill('SIGKILL');
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
