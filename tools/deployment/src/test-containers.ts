/**
 * `npm run test:containers`: the platform in containers of a real Docker engine, built, brought up, asked, scaled, rolled, killed and
 * taken down. Everything is a project of its own with keys and volumes of its own.
 */
import { command, runCommand } from '@platform-backend/command-line';
import { freePort } from '@platform-backend/embedded';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { composeEnvironment } from './compose-environment.ts';
import { judge, type Outcome } from './request-journal.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const ISSUER = 'http://localhost:8081/realms/platform';
/** Journeys that need nothing but HTTP, one of each domain. */
const JOURNEYS = ['credits', 'documents', 'conversations', 'pipelines', 'notebooks', 'invitations'];
/** With a page of each that reads and costs nothing. */
const SERVICES = {
  identity: '/client-groups/',
  billing: '/credits/transactions/',
  content: '/conversations/',
  pipelines: '/pipelines/',
  notebooks: '/notebooks/',
};
const GATEWAY_GONE = 'a stop of the gateway';
/** Requests on their way at once, each on a connection that it keeps. */
const CLIENTS = 4;
const PAUSE_MS = 25;
/** What is going on is over, and its requests answered, after so many milliseconds more. */
const SETTLE_MS = 3_000;

await runCommand(
  command({
    name: 'npm run test:containers --',
    usage: `npm run test:containers [-- --keep] [JOURNEY]...

Builds all images, brings docker-compose.yml up on a free port with keys and volumes of its own, runs journeys of e2e against it, then
scales, rolls and kills each service and stops the gateway while it is asked without a pause. Needs a Docker engine with
Compose, and says so where there is none. COMPOSE_FILE may name more files, COMPOSE_BUILD=0 takes images that are there.

  JOURNEY   files of e2e/test that are run; ${JOURNEYS.join(' ')} unless given
  --keep    leaves the containers there`,
    options: { keep: { type: 'boolean', default: false } },
    words: true,
    run: async ({ values: { keep }, positionals }) => {
      const lack = await whatIsMissing();
      if (lack !== undefined) {
        console.log(`${lack}: the containers were not tested.`);
        return;
      }
      const folder = mkdtempSync(join(tmpdir(), 'platform-containers-'));
      const compose = await composeProject(folder);
      try {
        const failures = await testAll(compose, folder, positionals.length > 0 ? positionals : JOURNEYS);
        for (const failure of failures) console.error(failure);
        console.log(failures.length === 0 ? 'Every check of the containers passed.' : 'Not passed.');
        process.exitCode = failures.length === 0 ? 0 : 1;
      } finally {
        if (!keep) await compose.run(['down', '--volumes', '--remove-orphans', '--timeout', '5']);
        rmSync(folder, { recursive: true, force: true });
      }
    },
  }),
);

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

interface Compose {
  readonly port: number;
  readonly password: string;
  /** @throws Error with what it printed when it fails. */
  readonly run: (args: readonly string[]) => Promise<string>;
  /** The containers of a service that run. */
  readonly containersOf: (service: string) => Promise<string[]>;
}

async function whatIsMissing(): Promise<string | undefined> {
  if ((await execute('docker', ['info'])).code !== 0) return 'No Docker engine answers here';
  return (await execute('docker', ['compose', 'version'])).code === 0 ? undefined : 'Docker has no Compose here';
}

function execute(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}

async function docker(args: readonly string[]): Promise<string> {
  const { code, output } = await execute('docker', args);
  if (code !== 0) throw new Error(`docker ${args.join(' ')} failed:\n${output}`);
  return output;
}

async function composeProject(folder: string): Promise<Compose> {
  const port = await freePort();
  const made = await composeEnvironment();
  const file = join(folder, 'environment');
  writeFileSync(
    file,
    Object.entries(made)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
    { mode: 0o600 },
  );
  const env = {
    ...process.env,
    PLATFORM_PORT: String(port),
    // Journeys count credits from nothing and ask as fast as they can.
    BILLING_WELCOME_CREDITS: '0',
    GATEWAY_CALLER_BURST: '1000000',
  };
  const project = ['compose', '--project-name', `platform-test-${String(process.pid)}`, '--env-file', file];
  const run = async (args: readonly string[]): Promise<string> => {
    const { code, output } = await execute('docker', [...project, ...args], env);
    if (code !== 0) throw new Error(`docker compose ${args.join(' ')} failed:\n${output.slice(-4_000)}`);
    return output;
  };
  return {
    port,
    password: made['DEMO_USER_PASSWORD'] ?? '',
    run,
    containersOf: async (service) => (await run(['ps', '--quiet', service])).split('\n').filter((id) => id !== ''),
  };
}

/** What went wrong, one sentence each. */
async function testAll(compose: Compose, folder: string, journeys: readonly string[]): Promise<string[]> {
  if (process.env['COMPOSE_BUILD'] !== '0') await step('build', () => compose.run(['build']));
  await step('up', () => compose.run(['up', '--wait', '--no-build']));
  const failures = [...(await step('zombies', () => zombiesOf(compose)))];
  const code = await step(`journeys ${journeys.join(' ')}`, () => runJourneys(compose.port, folder, journeys));
  if (code !== 0) failures.push(`The journeys ended with ${String(code)}.`);
  const { requests, failures: lost } = await underLoad(compose, async (during) => {
    for (const service of Object.keys(SERVICES)) {
      await step(during(`a scaling of ${service}`), () => scale(compose, service, 2));
      await step(during(`a roll of ${service}`), () => roll(compose, service));
      await step(during(`a kill of ${service}`), () => killOne(compose, service));
    }
    await step(during(GATEWAY_GONE), () => compose.run(['restart', 'gateway']));
  });
  console.log(`${String(requests)} requests meanwhile`);
  return [...failures, ...lost, ...(await zombiesOf(compose))];
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await work();
  console.log(`${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  return result;
}

/** Processes that nobody reaps, where sandboxes leave them. */
async function zombiesOf({ containersOf }: Compose): Promise<string[]> {
  const script = 'cat /proc/[0-9]*/stat 2>/dev/null | grep -c ") Z " || true';
  const found = [];
  for (const service of Object.keys(SERVICES)) {
    for (const id of await containersOf(service)) {
      const count = Number((await docker(['exec', id, 'sh', '-c', script])).trim());
      if (count > 0) found.push(`A container of ${service} has ${String(count)} zombies.`);
    }
  }
  return found;
}

function scale(compose: Compose, service: string, replicas: number): Promise<string> {
  return compose.run([
    ...['up', '--detach', '--no-deps', '--no-build', '--no-recreate', '--wait'],
    ...['--scale', `${service}=${String(replicas)}`, service],
  ]);
}

/** As many new ones beside those that are there, which then end as they are asked to. */
async function roll(compose: Compose, service: string): Promise<void> {
  const old = await compose.containersOf(service);
  await scale(compose, service, old.length * 2);
  for (const id of old) {
    await docker(['stop', id]);
    await docker(['rm', id]);
  }
}

async function killOne(compose: Compose, service: string): Promise<void> {
  const [victim = ''] = await compose.containersOf(service);
  await docker(['kill', '--signal', 'KILL', victim]);
  await docker(['start', victim]);
  await scale(compose, service, 2);
}

/** Jest with the journeys, on a home with as much of that of `npm start` as tokens need. */
async function runJourneys(port: number, folder: string, journeys: readonly string[]): Promise<number | null> {
  const url = `http://127.0.0.1:${String(port)}`;
  const write = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), JSON.stringify(value), { mode: 0o600 });
  const tokenEndpoint = `${ISSUER}/protocol/openid-connect/token`;
  write('run.json', { pid: process.pid, url, issuer: ISSUER, tokenEndpoint, services: {} });
  write('secrets.json', { identityProvider: { commandSecret: randomUUID() } });
  const files = journeys.map((name) => `e2e/test/${name}.test.ts`);
  // The projects last: as many words as follow would be names of projects.
  const jest = ['node_modules/jest/bin/jest.js', ...files, '--config', 'jest.config.mjs', '--selectProjects', 'e2e'];
  const { code, output } = await execute(process.execPath, ['--disable-warning=ExperimentalWarning', ...jest], {
    ...process.env,
    E2E_PLATFORM: JSON.stringify({ url, home: folder, port, output: '' }),
  });
  if (code !== 0) console.error(output.slice(-20_000));
  return code;
}

/** Asks every service without a pause while something is done to them. */
async function underLoad(compose: Compose, work: (during: (what: string) => string) => Promise<void>) {
  const token = await tokenOfAda(compose.password);
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const send = (method: string, path: string, body?: object) =>
    sendOne({ port: compose.port, agent, token, method, path, body });
  const made = await send('POST', '/organisations/', {
    ...{ email: 'ada@example.com', name: 'Example Ltd', image_url: 'https://example.com/logo.png' },
  });
  if (made.result !== 200) throw new Error(`no organisation could be made: ${String(made.result)}`);
  const outcomes: Outcome[] = [];
  let [during, isOver] = ['the beginning', false];
  const paths = Object.values(SERVICES);
  const client = async (first: number): Promise<void> => {
    for (let turn = first; !isOver; turn += 1) {
      const [path = '', sentDuring] = [paths[turn % paths.length], during];
      outcomes.push({ path, during: sentDuring, ...(await send('GET', path)) });
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
  return judge(outcomes, GATEWAY_GONE);
}

async function tokenOfAda(password: string): Promise<string> {
  const body = { grant_type: 'password', client_id: 'platform-web', username: 'ada', password };
  const answer = await fetch(`${ISSUER}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams(body),
  });
  const { access_token: token } = (await answer.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`${ISSUER} gives ada no token: ${String(answer.status)}`);
  return token;
}

interface OneRequest {
  readonly port: number;
  readonly agent: Agent;
  readonly token: string;
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
}

function sendOne({ port, agent, token, method, path, body }: OneRequest): Promise<Pick<Outcome, 'result' | 'reused'>> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
    const outgoing = request({ host: '127.0.0.1', port, agent, method, path, headers }, (answer) => {
      answer.resume().once('end', () => resolve({ result: answer.statusCode ?? 0, reused: outgoing.reusedSocket }));
      answer.once('error', (error: NodeJS.ErrnoException) => fail(error));
    });
    const fail = (error: NodeJS.ErrnoException): void =>
      resolve({ result: error.code ?? error.message, reused: outgoing.reusedSocket });
    outgoing.once('error', fail);
    outgoing.end(body && JSON.stringify(body));
  });
}
