import { freePort } from '@platform/embedded';
import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expectFreePort } from './free-entrance.ts';
import { homePaths, makeHome, removeFile } from './home.ts';
import { lockHome } from './home-lock.ts';
import { embeddedIdentityProvider, embeddedNats, embeddedPostgres, type Surroundings } from './infrastructure.ts';
import { keepRunning, type Kept } from './keep-running.ts';
import { seconds, type Progress } from './progress.ts';
import { writeRunFile, type RunFile } from './run-file.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import { startService, type ReadyLine } from './service-process.ts';
import { gateway, mainModule, presentServices, variable, type Service } from './services.ts';
import { repository, type Settings } from './settings.ts';

export interface Platform {
  readonly run: RunFile;
  /** The services and the gateway by name, so that a change of source can restart them. */
  readonly services: ReadonlyMap<string, Kept<ReadyLine>>;
  /** Stops everything in order: first who is asked, then whom they ask. */
  readonly stop: () => Promise<void>;
}

export interface PlatformOptions {
  readonly settings: Settings;
  /** Real infrastructure named here is used instead of the embedded one. */
  readonly env: NodeJS.ProcessEnv;
  readonly progress: Progress;
  /** Aborting gives up a start that is under way. */
  readonly signal: AbortSignal;
}

const readyTimeoutMs = 20_000;

/** Brings everything up. If anything fails, what was started is stopped before this rejects. */
export async function startPlatform(options: PlatformOptions): Promise<Platform> {
  const { settings, env, progress, signal } = options;
  const { home, port } = settings;
  const host = env['GATEWAY_HOST'] ?? '127.0.0.1';
  makeHome(home);
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
    const services = presentServices(settings.apps);
    const secrets = await loadSecrets(home, [...services.map(({ name }) => name), gateway]);
    const surroundings: Surroundings = { home, secrets, say: (text) => progress.say(`  ${text}`), signal };

    const [infrastructure, addresses] = await allSettled([
      startInfrastructure(options, surroundings, services, started),
      chooseAddresses(services),
    ]);
    const context: ServiceContext = { ...options, surroundings, infrastructure, addresses, started, services };
    const kept = await startServices(context);
    await progress.phase('first answer', () => answersReady(`http://${host}:${port}/readyz`, signal));

    const run = describeRun(context, kept);
    writeRunFile(home, run);
    return { run, services: kept, stop: () => started.stopAll() };
  } catch (error) {
    await started.stopAll();
    throw error;
  }
}

/** Higher layers use the lower ones, so they stop first. */
const Layer = { home: 0, data: 1, identityProvider: 2, services: 3, gateway: 4 } as const;
type Layer = (typeof Layer)[keyof typeof Layer];

class StopOrder {
  readonly #stops: { layer: Layer; stop: () => Promise<void> }[] = [];

  add(layer: Layer, stop: () => Promise<void>): void {
    this.#stops.push({ layer, stop });
  }

  async stopAll(): Promise<void> {
    for (const layer of Object.values(Layer).sort((a, b) => b - a)) {
      const stops = this.#stops.filter((entry) => entry.layer === layer);
      await Promise.allSettled(stops.map(({ stop }) => stop()));
    }
  }
}

interface Infrastructure {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string | undefined;
  readonly tokenEndpoint: string | undefined;
  readonly natsUrl: string;
  /** By service: connection texts for the service itself and for its migrations. */
  readonly databases: ReadonlyMap<string, { readonly app: string; readonly owner: string | undefined }>;
  readonly embeddedDatabases: RunFile['databases'];
}

/** All embedded servers start at the same time; each part that the environment names is left out. */
async function startInfrastructure(
  { env, progress }: PlatformOptions,
  surroundings: Surroundings,
  services: readonly Service[],
  started: StopOrder,
): Promise<Infrastructure> {
  const needDatabase = services.filter(({ name }) => env[variable(name, 'DATABASE_URL')] === undefined);
  const postgres = async () => {
    if (needDatabase.length === 0) return undefined;
    const work = (): ReturnType<typeof embeddedPostgres> => embeddedPostgres(surroundings, needDatabase);
    const server = await progress.phase('PostgreSQL', work, ({ address }) => address);
    started.add(Layer.data, server.stop);
    return server.databases;
  };
  const nats = async (): Promise<string> => {
    if (env['NATS_URL'] !== undefined) return env['NATS_URL'];
    const server = await progress.phase(
      'NATS',
      () => embeddedNats(surroundings),
      ({ ready }) => ready.url,
    );
    started.add(Layer.data, server.stop);
    return server.ready.url;
  };
  const audience = env['OIDC_AUDIENCE'] ?? 'platform';
  const identityProvider = async () => {
    if (env['OIDC_ISSUER'] !== undefined) return undefined;
    const work = (): ReturnType<typeof embeddedIdentityProvider> => embeddedIdentityProvider(surroundings, audience);
    const provider = await progress.phase('identity provider', work, ({ issuer }) => issuer);
    started.add(Layer.identityProvider, provider.stop);
    return provider;
  };

  const [databases, natsUrl, provider] = await allSettled([postgres(), nats(), identityProvider()]);
  return {
    issuer: provider?.issuer ?? env['OIDC_ISSUER'] ?? '',
    audience,
    jwksUrl: provider?.isElsewhere === true ? provider.jwksUrl : env['OIDC_JWKS_URL'],
    tokenEndpoint: provider?.tokenEndpoint,
    natsUrl,
    databases: new Map(
      services.map(({ name }) => {
        const embedded = databases?.get(name);
        const app = embedded?.appUrl ?? env[variable(name, 'DATABASE_URL')] ?? '';
        return [name, { app, owner: embedded?.ownerUrl ?? env[variable(name, 'MIGRATION_URL')] }];
      }),
    ),
    embeddedDatabases: Object.fromEntries(
      [...(databases ?? [])].map(([name, { appUrl, ownerUrl }]) => [name, { app: appUrl, owner: ownerUrl }]),
    ),
  };
}

interface Addresses {
  /** host:port of each service, fixed for this run so that a restarted service is found again. */
  readonly services: ReadonlyMap<string, string>;
  readonly metricsPort: number;
}

async function chooseAddresses(services: readonly Service[]): Promise<Addresses> {
  const entries = services.map(async ({ name }) => [name, `127.0.0.1:${await freePort()}`] as const);
  return { services: new Map(await Promise.all(entries)), metricsPort: await freePort() };
}

interface ServiceContext extends PlatformOptions {
  readonly surroundings: Surroundings;
  readonly infrastructure: Infrastructure;
  readonly addresses: Addresses;
  readonly started: StopOrder;
  readonly services: readonly Service[];
}

/** Services and gateway start side by side: nobody needs the other in order to become ready. */
async function startServices(context: ServiceContext): Promise<Map<string, Kept<ReadyLine>>> {
  const { services, settings, surroundings, infrastructure, progress, signal, started } = context;
  const start = async (name: string, layer: Layer, env: NodeJS.ProcessEnv): Promise<[string, Kept<ReadyLine>]> => {
    const logFile = homePaths(surroundings.home).log(name);
    const work = (): Promise<Kept<ReadyLine>> =>
      keepRunning({
        name,
        logFile: relative(repository, logFile),
        say: surroundings.say,
        signal,
        start: (over) =>
          startService({
            name,
            main: mainModule(settings.apps, name),
            env: { ...shared(name, context), ...env },
            logFile,
            signal: over,
          }),
      });
    const kept = await progress.phase(name, work, ({ ready }) => ready.address);
    started.add(layer, kept.stop);
    return [name, kept];
  };
  const starts = services.map(({ name }) => {
    const database = infrastructure.databases.get(name);
    return start(name, Layer.services, {
      [variable(name, 'LISTEN')]: context.addresses.services.get(name),
      [variable(name, 'DATABASE_URL')]: database?.app,
      ...(database?.owner === undefined ? {} : { [variable(name, 'MIGRATION_URL')]: database.owner }),
    });
  });
  return new Map(await allSettled([...starts, start(gateway, Layer.gateway, gatewayVariables(context))]));
}

/** What every process of the platform is told. The environment's own values win. */
function shared(name: string, { infrastructure, surroundings, addresses, env }: ServiceContext): NodeJS.ProcessEnv {
  const { servicePrivateKeys, servicePublicKeys }: Secrets = surroundings.secrets;
  return {
    ...Object.fromEntries([...addresses.services].map(([other, address]) => [variable(other, 'ADDRESS'), address])),
    NATS_URL: infrastructure.natsUrl,
    SERVICE_PRIVATE_KEY: JSON.stringify(servicePrivateKeys[name]),
    SERVICE_PUBLIC_KEYS: JSON.stringify(servicePublicKeys),
    ...picked(env, ['LOG_LEVEL', 'OTEL_EXPORTER_OTLP_ENDPOINT']),
  };
}

function gatewayVariables({
  infrastructure,
  surroundings,
  addresses,
  settings,
  env,
}: ServiceContext): NodeJS.ProcessEnv {
  return {
    PLATFORM_PORT: String(settings.port),
    OIDC_ISSUER: infrastructure.issuer,
    OIDC_AUDIENCE: infrastructure.audience,
    ...(infrastructure.jwksUrl === undefined ? {} : { OIDC_JWKS_URL: infrastructure.jwksUrl }),
    CURSOR_KEY: surroundings.secrets.cursorKey,
    GATEWAY_METRICS_PORT: String(addresses.metricsPort),
    ...picked(env, ['CURSOR_KEY', 'GATEWAY_METRICS_PORT']),
  };
}

function picked(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]));
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

function describeRun(context: ServiceContext, kept: ReadonlyMap<string, Kept<ReadyLine>>): RunFile {
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
    nats: natsUrl,
  };
}

/** Waits for all, also when one fails, so that whatever did start is known and can be stopped. */
async function allSettled<const T extends readonly unknown[]>(
  work: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = await Promise.allSettled(work);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as {
    -readonly [K in keyof T]: Awaited<T[K]>;
  };
}
