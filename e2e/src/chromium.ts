import { findOnPath } from '@platform-backend/system-programs';
import { waitFor } from '@platform-backend/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** A page, or a window that one has opened. */
export interface Page {
  /** What an expression of the page is worth, as JSON carries it; a click in it is one of a person. */
  evaluate<Value = unknown>(expression: string): Promise<Value>;
  /** Clicks what a selector finds, once it is there. */
  click(selector: string): Promise<void>;
  /** Writes into an input that a selector finds, once it is there, as a person would. */
  type(selector: string, text: string): Promise<void>;
}

/** A browser that reaches this machine alone, driven by its DevTools protocol. */
export interface Chromium {
  open(address: string): Promise<Page>;
  /** The window at an address that begins so, which a page has opened. */
  windowAt(address: string): Promise<Page>;
  /** What pages, and the browser about them, have complained of: errors, warnings, violations of a policy of contents. */
  readonly complaints: readonly string[];
  /** The hosts of all requests so far. */
  readonly hosts: ReadonlySet<string>;
  stop(): Promise<void>;
}

/** Messages of the protocol that are looked at here. */
interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly error?: { readonly message: string };
  readonly result?: object;
  readonly method?: string;
  readonly params?: object;
}
interface Target {
  readonly targetId: string;
  readonly type: string;
  readonly url: string;
}
interface Evaluated {
  readonly result: { readonly value?: unknown };
  readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } };
}
interface Complaint {
  readonly type?: string;
  readonly args?: readonly { readonly value?: unknown; readonly description?: string }[];
  readonly entry?: { readonly level: string; readonly text: string; readonly url?: string };
  readonly exceptionDetails?: Evaluated['exceptionDetails'];
}

/** Nothing but what a test opens is loaded, and no name leads out of this machine. */
const ARGUMENTS = [
  '--headless=new',
  '--no-sandbox',
  '--no-first-run',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-extensions',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  '--remote-debugging-port=0',
];

export async function startChromium(): Promise<Chromium> {
  const profile = mkdtempSync(join(tmpdir(), 'platform-chromium-'));
  const program = findOnPath('chromium') ?? 'chromium';
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', program, ...ARGUMENTS, `--user-data-dir=${profile}`, 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(child, 'exit');
  const socket = new WebSocket(await devToolsAddress(child.stderr));
  await once(socket, 'open');

  const complaints: string[] = [];
  const hosts = new Set<string>();
  /** Sessions of pages, by the ids of these. */
  const sessions = new Map<string, string>();
  const waiting = new Map<number, (answer: Message) => void>();
  let last = 0;
  const send = async <Result>(method: string, params: object = {}, sessionId?: string): Promise<Result> => {
    const id = (last += 1);
    const answered = new Promise<Message>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
    const { error, result } = await answered;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result as Result;
  };
  const attached = async (sessionId: string, { targetId, type }: Target): Promise<void> => {
    for (const domain of ['Runtime', 'Log', 'Network', 'Page']) await send(`${domain}.enable`, {}, sessionId);
    if (type === 'page') sessions.set(targetId, sessionId);
    await send('Runtime.runIfWaitingForDebugger', {}, sessionId);
  };
  const heard: Readonly<Record<string, (params: never) => void>> = {
    'Target.attachedToTarget': ({ sessionId, targetInfo }: { sessionId: string; targetInfo: Target }) => {
      // What ends before it is looked at has nothing to say.
      attached(sessionId, targetInfo).catch(() => undefined);
    },
    'Network.requestWillBeSent': ({ request }: { request: { url: string } }) => {
      const { protocol, hostname } = new URL(request.url);
      if (/^(http|ws)s?:$/.test(protocol)) hosts.add(hostname);
    },
    'Network.webSocketCreated': ({ url }: { url: string }) => void hosts.add(new URL(url).hostname),
    'Runtime.consoleAPICalled': ({ type = '', args = [] }: Complaint) => {
      if (['error', 'warning', 'assert'].includes(type))
        complaints.push(args.map(({ value, description }) => description ?? String(value)).join(' '));
    },
    'Runtime.exceptionThrown': ({ exceptionDetails }: Complaint) =>
      void complaints.push(exceptionDetails?.exception?.description ?? exceptionDetails?.text ?? ''),
    'Log.entryAdded': ({ entry }: Complaint) => {
      if (entry && ['error', 'warning'].includes(entry.level)) complaints.push(`${entry.text} ${entry.url ?? ''}`);
    },
  };
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id === undefined) heard[message.method ?? '']?.((message.params ?? {}) as never);
    else waiting.get(message.id)?.(message);
  });
  await send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true });

  const pageOf = async (targetId: string): Promise<Page> => {
    const sessionId = await waitFor(() => sessions.get(targetId), { what: 'a page' });
    const evaluate = async <Value>(expression: string): Promise<Value> => {
      const params = { expression, awaitPromise: true, returnByValue: true, userGesture: true };
      const { result, exceptionDetails } = await send<Evaluated>('Runtime.evaluate', params, sessionId);
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value as Value;
    };
    const found = (selector: string): Promise<unknown> => {
      const expression = `document.querySelector(${JSON.stringify(selector)}) !== null`;
      return waitFor(() => evaluate(expression), { what: selector, timeout: 60_000 });
    };
    return {
      evaluate,
      async click(selector) {
        await found(selector);
        await evaluate(`document.querySelector(${JSON.stringify(selector)}).click()`);
      },
      async type(selector, text) {
        await found(selector);
        await evaluate(`document.querySelector(${JSON.stringify(selector)}).focus()`);
        await send('Input.insertText', { text }, sessionId);
      },
    };
  };

  return {
    async open(address) {
      const { targetId } = await send<Target>('Target.createTarget', { url: 'about:blank' });
      const page = await pageOf(targetId);
      await send('Page.navigate', { url: address }, sessions.get(targetId));
      return page;
    },
    windowAt: async (address) =>
      await pageOf(
        await waitFor(
          async () => {
            const { targetInfos } = await send<{ targetInfos: Target[] }>('Target.getTargets');
            return targetInfos.find(({ type, url }) => type === 'page' && url.startsWith(address))?.targetId;
          },
          { what: `a window at ${address}`, timeout: 60_000 },
        ),
      ),
    complaints,
    hosts,
    async stop() {
      await send('Browser.close');
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** It says on its standard error where it is driven from. */
async function devToolsAddress(said: NodeJS.ReadableStream): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface(said)) {
    const [, address] = /^DevTools listening on (\S+)$/.exec(line) ?? [];
    if (address !== undefined) {
      said.resume();
      return address;
    }
    lines.push(line);
  }
  throw new Error(`chromium does not start: ${lines.join('\n')}`);
}
