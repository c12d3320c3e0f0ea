/**
 * `npm run test:containers`: the platform in containers of a real Docker engine, built, brought up, asked, scaled, rolled, killed, given
 * new keys, copied, restored and taken down. Everything is a project of its own with keys and volumes of its own.
 */
import { command, runCommand, WrongUsage } from '@platform-backend/command-line';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { SMTPServer } from 'smtp-server';
import { writeProblems } from './acknowledged-writes.ts';
import { composeProject, execute, ROOT, succeeding, whatIsMissing, type ComposeProject } from './compose-project.ts';
import { listAll, PAGES, sendOne, underLoad, WRITES, type ApiEndpoint } from './container-load.ts';
import { keepLogs, type ContainerLogs } from './container-logs.ts';
import { imageSizes, tooLarge } from './image-sizes.ts';
import { makeContents, readContents, removeContents, type KeptContents } from './kept-contents.ts';
import { recoveryProblems } from './recovered-events.ts';
import { judge, type Outcome } from './request-journal.ts';
import {
  BACKUP,
  blocksUnder,
  LOSS_OF_NATS,
  newPasswordOfAnOwner,
  RESTORE,
  RESTORE_OF_ONE,
  RUN_UNDER_LOAD,
} from './runbook.ts';

const ISSUER = 'http://localhost:8081/realms/platform';
/** Journeys that need nothing but HTTP, one of each domain. */
const JOURNEYS = ['credits', 'documents', 'conversations', 'pipelines', 'notebooks', 'invitations'];
const SERVICES = Object.keys(PAGES);
const APPS = ['gateway', ...SERVICES];
const GATEWAY_GONE = 'a stop of the gateway';
/** So many failed requests are told with all that services have logged of them. */
const TOLD_IN_FULL = 30;
const PARTS = ['journeys', 'load', 'backup'];
const RUNBOOKS = readFileSync(join(ROOT, 'docs/runbooks.md'), 'utf8');

await runCommand(
  command({
    name: 'npm run test:containers --',
    usage: `npm run test:containers [-- [--keep] [--only PART]... [JOURNEY]...]

Builds all images, brings docker-compose.yml up on a free port with keys and volumes of its own, runs journeys of e2e against it; scales,
rolls and kills each service, replaces keys and passwords as docs/runbooks.md says and stops the gateway while it is asked without
a pause; then takes a backup, restores it where nothing is, and puts one organisation back. Says how large images are and what
became of all requests. Needs a Docker engine with Compose, and says so where there is none. COMPOSE_FILE may name more files,
COMPOSE_BUILD=0 takes images that are there.

  --only PART   one of ${PARTS.join(', ')}, after the build and the start; may be repeated
  JOURNEY       files of e2e/test that are run; ${JOURNEYS.join(' ')} unless given
  --keep        leaves the containers there`,
    options: { keep: { type: 'boolean', default: false }, only: { type: 'string', multiple: true, default: PARTS } },
    words: true,
    run: async ({ values: { keep, only }, positionals }) => {
      const unknown = only.find((part) => !PARTS.includes(part));
      if (unknown !== undefined) throw new WrongUsage(`There is no part "${unknown}": ${PARTS.join(', ')}.`);
      const lack = await whatIsMissing();
      if (lack !== undefined) {
        console.log(`${lack}: the containers were not tested.`);
        return;
      }
      const folder = mkdtempSync(join(tmpdir(), 'platform-containers-'));
      const mails = await mailServer();
      const project = await composeProject(folder, overrides(mails.port));
      try {
        const journeys = positionals.length > 0 ? positionals : JOURNEYS;
        const failures = await testAll(project, folder, { only, journeys });
        console.log(failures.length === 0 ? 'Every check of the containers passed.' : 'Not passed.');
        process.exitCode = failures.length === 0 ? 0 : 1;
      } finally {
        mails.close();
        if (!keep) await takeDown(project);
        rmSync(folder, { recursive: true, force: true });
      }
    },
  }),
);

function takeDown({ compose }: ComposeProject): Promise<string> {
  return compose(['down', '--volumes', '--remove-orphans', '--timeout', '5']);
}

/** Journeys count credits from nothing, ask as fast as they can, and wait for mails; and a busy machine is no reason to refuse anything. */
function overrides(mailPort: number): object {
  const mail = { SMTP_URL: `smtp://host.docker.internal:${String(mailPort)}` };
  return {
    services: {
      gateway: {
        environment: {
          GATEWAY_CALLER_BURST: '1000000',
          GATEWAY_MAX_EVENT_LOOP_LAG_MS: '600000',
          GATEWAY_READ_DEADLINE_MS: '10000',
          GATEWAY_CALLER_LOOK_UP_MS: '10000',
        },
      },
      billing: {
        environment: { BILLING_WELCOME_CREDITS: '0', ...mail },
        extra_hosts: { 'host.docker.internal': 'host-gateway' },
      },
    },
  };
}

/** Takes every mail, where containers reach it: at the engine's own network on Linux, by the engine's relay elsewhere. */
async function mailServer(): Promise<{ readonly port: number; readonly close: () => void }> {
  const inspected = ['network', 'inspect', 'bridge', '--format', '{{(index .IPAM.Config 0).Gateway}}'];
  const host = process.platform === 'linux' ? (await succeeding('docker', inspected)).trim() : '127.0.0.1';
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) => void stream.resume().once('end', () => done()),
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return { port: (server.server.address() as AddressInfo).port, close: () => server.close() };
}

interface Asking {
  readonly only: readonly string[];
  readonly journeys: readonly string[];
}

/** What went wrong, one sentence each. */
async function testAll(project: ComposeProject, folder: string, { only, journeys }: Asking): Promise<string[]> {
  const { compose } = project;
  if (process.env['COMPOSE_BUILD'] !== '0') await step('build', () => compose(['build']));
  const sizes = await imageSizes(APPS);
  console.log(
    `images, in MB beside the base: ${Object.entries(sizes)
      .map(([app, megabytes]) => `${app} ${String(megabytes)}`)
      .join(', ')}`,
  );
  await step('up', () => compose(['up', '--wait', '--no-build']));
  console.log(await timesToHealthy(project));
  const failures = told(tooLarge(sizes));
  const logs = keepLogs(project, APPS, folder);
  try {
    failures.push(...(await testUp(project, { folder, logs, only, journeys })));
  } finally {
    await logs.stop();
  }
  return failures;
}

interface WhileUp extends Asking {
  readonly folder: string;
  readonly logs: ContainerLogs;
}

async function testUp(project: ComposeProject, { folder, logs, only, journeys }: WhileUp): Promise<string[]> {
  const failures: string[] = [];
  if (only.includes('journeys')) {
    const code = await step(`journeys ${journeys.join(' ')}`, () => runJourneys(project.port, folder, journeys));
    if (code !== 0) failures.push(...told([`The journeys ended with ${String(code)}.`]));
    // Steps and kernels have run, and no container was replaced since.
    failures.push(...told(await step('zombies', () => zombiesOf(project))));
  }
  const endpoint = await newOrganisation(project);
  if (only.includes('load')) {
    failures.push(...told(await disturb(project, endpoint, logs)));
    failures.push(...told(await zombiesOf(project)));
  }
  if (only.includes('backup')) failures.push(...told(await backUpAndRestore(project, endpoint)));
  return failures;
}

/** Said when they are found, whatever becomes of the parts that follow. */
function told(failures: readonly string[]): string[] {
  for (const failure of failures) console.error(failure);
  return [...failures];
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await work();
  console.log(`${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  return result;
}

/** From its start to the first check of its health that passed. */
async function timesToHealthy({ containersOf }: ComposeProject): Promise<string> {
  const times = [];
  for (const app of APPS) {
    for (const id of await containersOf(app)) {
      const { StartedAt: started, Health: health } = JSON.parse(
        await succeeding('docker', ['inspect', '--format', '{{json .State}}', id]),
      ) as { StartedAt: string; Health: { Log: { End: string; ExitCode: number }[] } };
      const passed = health.Log.find(({ ExitCode: code }) => code === 0);
      if (passed) times.push(`${app} ${((Date.parse(passed.End) - Date.parse(started)) / 1000).toFixed(0)}`);
    }
  }
  return `healthy after, in s: ${times.join(', ')}`;
}

/** Processes that nobody reaps, where sandboxes leave them. */
async function zombiesOf({ containersOf }: ComposeProject): Promise<string[]> {
  const script = 'cat /proc/[0-9]*/stat 2>/dev/null | grep -c ") Z " || true';
  const found = [];
  for (const service of SERVICES) {
    for (const id of await containersOf(service)) {
      const count = Number((await succeeding('docker', ['exec', id, 'sh', '-c', script])).trim());
      if (count > 0) found.push(`A container of ${service} has ${String(count)} zombies.`);
    }
  }
  return found;
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

/** All that may happen to a platform while it is used, and what of it cost requests. */
async function disturb(project: ComposeProject, endpoint: ApiEndpoint, logs: ContainerLogs): Promise<string[]> {
  const unrecovered: string[] = [];
  const work = async (during: (what: string) => string): Promise<void> => {
    for (const service of SERVICES) {
      await step(during(`a scaling of ${service}`), () => scale(project, service, 2));
      await step(during(`a roll of ${service}`), () => project.bash(`bash deploy/compose/roll.sh ${service}`));
      await step(during(`a kill of ${service}`), () => killOne(project, service));
    }
    for (const heading of RUN_UNDER_LOAD) {
      await step(during(heading), async () => {
        for (const block of blocksUnder(RUNBOOKS, heading)) await project.bash(block);
        if (heading === LOSS_OF_NATS)
          for (const service of Object.keys(WRITES))
            unrecovered.push(...(await recoveryProblems(project, logs, service)));
      });
    }
    await step(during(GATEWAY_GONE), async () => {
      await project.compose(['restart', 'gateway']);
      // A restart is over before anybody is answered.
      await scale(project, 'gateway', 1);
    });
  };
  const outcomes = await underLoad(endpoint, work, (outcome) => console.log(`  ${sentenceOf(outcome)}`));
  const { requests, failures, failed, figures } = judge(outcomes, {
    gatewayGone: GATEWAY_GONE,
    killed: Object.fromEntries(Object.entries(WRITES).map(([service, { path }]) => [`a kill of ${service}`, path])),
  });
  for (const [during, { requests: sent, failed }] of Object.entries(figures))
    console.log(`${during}: ${String(sent)} requests, ${String(failed)} failed`);
  console.log(`${String(requests)} requests in all`);
  for (const outcome of failed.slice(0, TOLD_IN_FULL)) {
    const lines = outcome.requestId === undefined ? [] : logs.linesWith(outcome.requestId);
    console.log([sentenceOf(outcome), ...lines].join('\n  '));
  }
  return [...failures, ...unrecovered, ...(await lostWrites(project, endpoint, outcomes))];
}

/** What was acknowledged and is not there as it was, or is there twice. */
async function lostWrites(
  project: ComposeProject,
  endpoint: ApiEndpoint,
  outcomes: readonly Outcome[],
): Promise<string[]> {
  const reader = { ...endpoint, token: await tokenOfAda(project.password) };
  const paths = Object.values(WRITES).map(({ path }) => path);
  const lists = await Promise.all(paths.map(async (path) => [path, await listAll(reader, path)] as const));
  const writes = outcomes.flatMap(({ write }) => write ?? []);
  const acknowledged = writes.filter(({ id }) => id !== undefined);
  console.log(`${String(acknowledged.length)} of ${String(writes.length)} writes were acknowledged`);
  return writeProblems(writes, Object.fromEntries(lists));
}

function sentenceOf({ at = '', during, method, path, result, said = '' }: Outcome): string {
  return `${at} during ${during}: ${method} ${path} ${String(result)} ${said}`;
}

function scale({ compose }: ComposeProject, service: string, replicas: number): Promise<string> {
  return compose([
    ...['up', '--detach', '--no-deps', '--no-build', '--no-recreate', '--wait'],
    ...['--scale', `${service}=${String(replicas)}`, service],
  ]);
}

async function killOne(project: ComposeProject, service: string): Promise<void> {
  const [victim = ''] = await project.containersOf(service);
  await succeeding('docker', ['kill', '--signal', 'KILL', victim]);
  await succeeding('docker', ['start', victim]);
  await scale(project, service, 2);
}

/** What everybody had is there again, where nothing was. */
async function backUpAndRestore(project: ComposeProject, endpoint: ApiEndpoint): Promise<string[]> {
  const run = async (heading: string): Promise<void> => {
    for (const block of blocksUnder(RUNBOOKS, heading)) await project.bash(block);
  };
  const datasetId = await makeContents(endpoint, 'Kept');
  const before = await readContents(endpoint, datasetId);
  await project.bash(newPasswordOfAnOwner(RUNBOOKS));
  await step('the backup', () => run(BACKUP));
  await makeContents({ ...endpoint, token: await tokenOfAda(project.password) }, 'Gone again');
  await takeDown(project);
  await step('the restore', () => run(RESTORE));
  const again = { ...endpoint, token: await tokenOfAda(project.password) };
  const failures = differences('the restore', await readContents(again, datasetId), before);
  await removeContents(again, datasetId);
  const organisation = await organisationOf(again);
  await step('the restore of one organisation', async () => {
    for (const block of blocksUnder(RUNBOOKS, RESTORE_OF_ONE))
      await project.bash(block.replace(/^ORGANISATION=\S+/m, `ORGANISATION=${organisation}`));
  });
  const restored = await readContents(again, datasetId);
  return [...failures, ...differences('the restore of one organisation', restored, before)];
}

function differences(what: string, after: KeptContents, before: KeptContents): string[] {
  if (isDeepStrictEqual(after, before)) return [];
  return [`After ${what} there is\n${JSON.stringify(after)}\nwhere there was\n${JSON.stringify(before)}`];
}

async function organisationOf(endpoint: ApiEndpoint): Promise<string> {
  const { text } = await sendOne({ ...endpoint, method: 'GET', path: '/organisations/current/' });
  return (JSON.parse(text) as { id: string }).id;
}

async function newOrganisation({ port, password }: ComposeProject): Promise<ApiEndpoint> {
  const endpoint = { port, token: await tokenOfAda(password) };
  const body = { email: 'ada@example.com', name: 'Example Ltd', image_url: 'https://example.com/logo.png' };
  const { result } = await sendOne({ ...endpoint, method: 'POST', path: '/organisations/', body });
  if (result !== 200) throw new Error(`no organisation could be made: ${String(result)}`);
  return endpoint;
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
