import { randomBytes } from 'node:crypto';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { runDirectory } from './run-directory.ts';

/** Where the process of a test run listens for test files that need a server: a Unix socket. */
const SOCKET = 'TEST_SERVERS';

/** A started server as it is told to test files: anything that can be written as JSON. */
type ServerFacts = Readonly<Record<string, unknown>>;

/**
 * The default export of a module that starts a server of the kind that test files share. Its process must not keep ours
 * alive, and ends with ours.
 */
type StartServer<Facts extends ServerFacts> = () => Promise<Facts>;

/**
 * From now on the test files of this run, in whatever process they are, share the servers of this process: each starts
 * with the first that asks for it, and ends with us.
 */
export async function shareServers(): Promise<void> {
  // Short: the whole path has 107 characters at most.
  const socket = join(runDirectory(), `servers-${randomBytes(2).toString('hex')}`);
  const server = createServer((asked, answer) => {
    const module = new URL(asked.url ?? '', 'http://localhost').searchParams.get('module') ?? '';
    startedHere(module).then(
      (facts) => answer.end(JSON.stringify({ facts })),
      (error: unknown) => answer.end(JSON.stringify({ error: error instanceof Error ? error.stack : String(error) })),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socket, resolve);
  });
  server.unref();
  process.env[SOCKET] = socket;
}

/** Which run this is: servers may go on from one to the next while somebody watches, and the source changes in between. */
export const testRun = (): string => process.env[SOCKET] ?? `process ${process.pid}`;

/**
 * The server that this module starts, shared by the whole run; outside of one, by this process.
 *
 * @throws Error with what went wrong in the process that started it.
 */
export async function sharedServer<Facts extends ServerFacts>(module: URL): Promise<Facts> {
  const socket = process.env[SOCKET];
  if (socket === undefined) return (await startedHere(module.href)) as Facts;
  const answer = await asked(socket, module.href);
  if (answer.facts === undefined) throw new Error(`the shared server could not be started: ${answer.error ?? ''}`);
  return answer.facts as Facts;
}

const started = new Map<string, Promise<ServerFacts>>();

function startedHere(module: string): Promise<ServerFacts> {
  const known = started.get(module);
  if (known) return known;
  const starting = (import(module) as Promise<{ default: StartServer<ServerFacts> }>).then(({ default: start }) =>
    start(),
  );
  started.set(module, starting);
  return starting;
}

function asked(socketPath: string, module: string): Promise<{ facts?: ServerFacts; error?: string }> {
  return new Promise((resolve, reject) => {
    const path = `/?module=${encodeURIComponent(module)}`;
    request({ socketPath, path, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.once('end', () => resolve(JSON.parse(text) as { facts?: ServerFacts; error?: string }));
    })
      .once('error', reject)
      .end();
  });
}
