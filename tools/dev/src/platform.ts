import { OPERATOR } from '@platform-backend/events/set-up';
import { declaredServices } from '@platform-backend/service/declared';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { allSettled } from './all-settled.ts';
import { expectFreePort } from './expect-free-port.ts';
import { lockHome } from './home-lock.ts';
import { homePaths, makeHome, removeFile } from './home.ts';
import type { EmbeddedServersContext } from './infrastructure/embedded-servers.ts';
import { startInfrastructure } from './infrastructure/infrastructure.ts';
import type { SupervisedService } from './keep-running.ts';
import { seconds, type Progress } from './progress.ts';
import { writeRunFile, type RunFile } from './run-file.ts';
import { loadSecrets } from './secrets.ts';
import { chooseAddresses } from './service-addresses.ts';
import type { ServiceContext } from './service-environment.ts';
import type { Inspection, ReadyLine } from './service-process.ts';
import { gateway } from './services.ts';
import { repository, type Settings } from './settings.ts';
import { startServices } from './start-services.ts';
import { Layer, StopOrder } from './stop-order.ts';

export interface Platform {
  readonly run: RunFile;
  /** The services and the gateway by name, so that a change of source can restart them. */
  readonly services: ReadonlyMap<string, SupervisedService<ReadyLine>>;
  /** Stops everything in order: first who is asked, then whom they ask. */
  readonly stop: () => Promise<void>;
}

export interface PlatformOptions {
  readonly settings: Settings;
  /** Real infrastructure named here is used instead of the embedded one. */
  readonly env: NodeJS.ProcessEnv;
  readonly progress: Progress;
  /** One service may run under the inspector. */
  readonly inspection?: Inspection | undefined;
  /** Aborting gives up a start that is under way. */
  readonly signal: AbortSignal;
}

const readyTimeoutMs = 60_000;

/** Brings everything up. If anything fails, what was started is stopped before this rejects. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { settings, env, progress, inspection, signal } = options;
  const { home, port } = settings;
  const host = env['GATEWAY_HOST'] ?? '127.0.0.1';
  makeHome(home, join(repository, 'node_modules/.cache/programs'));
  const started = new StopOrder();
  const { runFile } = homePaths(home);
  try {
    const lock = lockHome(home);
    started.add(Layer.home, () => {
      removeFile(runFile);
      lock.release();
      return Promise.resolve();
    });
    await expectFreePort(port, host);
    if (inspection) await expectFreePort(inspection.port, '127.0.0.1', '--port');
    const services = await declaredServices(settings.apps);
    const secrets = await loadSecrets(home, [...services.map(({ declaration }) => declaration.name), gateway]);
    const surroundings: EmbeddedServersContext = { home, secrets, say: (text) => progress.say(`  ${text}`), signal };

    const [infrastructure, addresses] = await allSettled([
      startInfrastructure(options, surroundings, services, started),
      chooseAddresses(services),
    ]);
    const context = { settings, env, services, surroundings, infrastructure, addresses, inspection };
    const kept = await startServices(context, progress, started);
    await progress.phase('first answer', () => answersReady(`http://${host}:${port}/readyz`, signal));

    const run = describeRun(context, kept);
    writeRunFile(home, run);
    return { run, services: kept, stop: () => started.stopAll() };
  } catch (error) {
    await started.stopAll();
    throw error;
  }
}

/** Everything behind the gateway is reached as well, not only each process by itself. */
async function answersReady(url: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  for (;;) {
    const response = await fetch(url, { signal }).catch(() => undefined);
    if (response?.ok) return;
    signal.throwIfAborted();
    if (Date.now() > deadline) {
      const answer = response ? `it answers ${response.status}` : 'it does not answer';
      throw new Error(`The gateway did not report ready within ${seconds(readyTimeoutMs)}: ${answer} at ${url}.`);
    }
    await delay(20);
  }
}

function describeRun(context: ServiceContext, kept: ReadonlyMap<string, SupervisedService<ReadyLine>>): RunFile {
  const { settings, infrastructure, surroundings } = context;
  const { issuer, audience, tokenEndpoint, natsUrl, embeddedDatabases } = infrastructure;
  return {
    pid: process.pid,
    url: `http://127.0.0.1:${settings.port}`,
    startedAt: new Date().toISOString(),
    issuer,
    audience,
    ...(tokenEndpoint === undefined ? {} : { tokenEndpoint }),
    services: Object.fromEntries(
      [...kept].map(([name, { ready }]) => [name, { ...ready, log: homePaths(surroundings.home).log(name) }]),
    ),
    databases: embeddedDatabases,
    nats: natsUrl(OPERATOR),
  };
}
