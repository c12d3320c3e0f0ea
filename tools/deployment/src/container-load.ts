import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Listed } from './acknowledged-writes.ts';
import type { Outcome } from './request-journal.ts';

/** Of each service a page that reads and costs nothing. */
export const PAGES = {
  identity: '/client-groups/',
  billing: '/credits/transactions/',
  content: '/conversations/',
  pipelines: '/pipelines/',
  notebooks: '/notebooks/',
};
/** What can be made of each service, of a name that is seen again in its list: in any number, and at no cost. */
export const WRITES: Readonly<Record<string, { readonly path: string; readonly body: (name: string) => object }>> = {
  identity: { path: '/client-groups/', body: (name) => ({ name }) },
  content: { path: '/conventions/', body: (title) => ({ title, content: 'Everybody has thirty days.' }) },
  pipelines: { path: '/pipelines/', body: (name) => ({ name }) },
  notebooks: { path: '/notebooks/', body: (name) => ({ name }) },
};
/** Clients that send one request after the other, each on a connection that it keeps. */
const CLIENTS = 4;
const PAUSE_MS = 25;
/** One request of so many makes something. */
const WRITES_EVERY = 7;
/** What is going on is over, and its requests answered, after so many milliseconds more. */
const SETTLE_MS = 3_000;

/** Where somebody sends requests. */
export interface ApiEndpoint {
  readonly port: number;
  readonly token: string;
}

interface OneRequest extends ApiEndpoint {
  readonly agent?: Agent | undefined;
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
}

interface OneAnswer extends Pick<Outcome, 'result' | 'reused' | 'requestId'> {
  readonly text: string;
  /** Where the next page of a list begins. */
  readonly nextCursor?: string | undefined;
}

export function sendOne({ port, agent, token, method, path, body }: OneRequest): Promise<OneAnswer> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    let text = '';
    const outgoing = request({ host: '127.0.0.1', port, agent, method, path, headers }, (answer) => {
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      const requestId = String(answer.headers['x-request-id'] ?? '') || undefined;
      const { 'x-next-cursor': cursor } = answer.headers;
      const nextCursor = typeof cursor === 'string' ? cursor : undefined;
      const ended = (): void =>
        resolve({ result: answer.statusCode ?? 0, reused: outgoing.reusedSocket, requestId, text, nextCursor });
      answer.once('end', ended);
      answer.once('error', (error: NodeJS.ErrnoException) => fail(error));
    });
    const fail = (error: NodeJS.ErrnoException): void =>
      resolve({ result: error.code ?? error.message, reused: outgoing.reusedSocket, text });
    outgoing.once('error', fail);
    outgoing.end(body && JSON.stringify(body));
  });
}

/**
 * Asks every service, and has those of `WRITES` make something, without a pause while something is done to them. `onFailure` hears of each failure
 * at once, for whoever looks on or ends it before its end.
 */
export async function underLoad(
  endpoint: ApiEndpoint,
  work: (during: (what: string) => string) => Promise<void>,
  onFailure: (outcome: Outcome) => void,
): Promise<Outcome[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const outcomes: Outcome[] = [];
  let [during, isOver] = ['the beginning', false];
  const [paths, writes] = [Object.values(PAGES), Object.values(WRITES)];
  const client = async (first: number): Promise<void> => {
    for (let turn = first; !isOver; turn += 1) {
      const sentDuring = during;
      const write = turn % WRITES_EVERY === 0 ? writes[(turn / WRITES_EVERY) % writes.length] : undefined;
      const name = `Load ${String(first)}-${String(turn)}`;
      const sent = write
        ? { method: 'POST', path: write.path, body: write.body(name) }
        : { method: 'GET', path: paths[turn % paths.length] ?? '' };
      const { text, nextCursor: _nextCursor, ...answer } = await sendOne({ ...endpoint, agent, ...sent });
      const isDone = answer.result === 200;
      const said = isDone ? {} : { said: text, at: new Date().toISOString() };
      const outcome: Outcome = {
        ...{ method: sent.method, path: sent.path, during: sentDuring, ...answer, ...said },
        ...(write && { write: { path: sent.path, name, id: isDone ? idIn(text) : undefined } }),
      };
      outcomes.push(outcome);
      if (answer.result !== 200) onFailure(outcome);
      await delay(PAUSE_MS);
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, index) => client(index));
  try {
    await work((what) => (during = what));
    await delay(SETTLE_MS);
  } finally {
    isOver = true;
    await Promise.all(clients);
    agent.destroy();
  }
  return outcomes;
}

const idIn = (text: string): string | undefined => (JSON.parse(text) as { id?: string }).id;

/** All that a list has, page by page. */
export async function listAll(endpoint: ApiEndpoint, path: string): Promise<Listed[]> {
  const listed: Listed[] = [];
  let next: string | undefined = '';
  while (next !== undefined) {
    const cursor: string = next && `&cursor=${encodeURIComponent(next)}`;
    const { result, text, nextCursor } = await sendOne({
      ...endpoint,
      method: 'GET',
      path: `${path}?limit=100${cursor}`,
    });
    if (result !== 200) throw new Error(`GET ${path} was answered with ${String(result)}: ${text}`);
    const page = JSON.parse(text) as { id: string; name?: string; title?: string }[];
    listed.push(...page.map(({ id, name, title = '' }) => ({ id, name: name ?? title })));
    next = nextCursor;
  }
  return listed;
}
