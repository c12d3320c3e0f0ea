/** What every benchmark runs on: servers, services and callers in processes of their own, with nothing kept afterwards. */
import { generateServiceKeys } from '@platform-backend/auth';
import { supervise, type SupervisedProcess } from '@platform-backend/embedded';
import { setUpStreams } from '@platform-backend/events/set-up';
import { startTestIdentityProvider, throwawayNats, type ThrowawayNats } from '@platform-backend/testing';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A service's program. */
export const programOf = (service: string): string => join(ROOT, 'apps', service, 'src/main.ts');

type Environment = Readonly<Record<string, string>>;
type Stop = () => unknown;

export interface ClusterOptions<Service extends string> {
  /** Those that call another one or are called, `gateway` among them. */
  readonly services: readonly Service[];
  /** The folder in which services and callers leave a CPU profile. */
  readonly profiles?: string | undefined;
}

export interface Cluster<Service extends string> {
  /** For files of the benchmark; the account of a database server can reach it. */
  readonly directory: string;
  readonly nats: ThrowawayNats;
  readonly keys: Awaited<ReturnType<typeof generateServiceKeys<Service>>>;
  /** Arguments of Node for a process that leaves a CPU profile where one is wanted. */
  readonly profiling: readonly string[];
  /** Starts a program of Node as in production, and answers when it says where it listens. */
  readonly run: (name: string, args: readonly string[], environment: Environment) => Promise<SupervisedProcess<string>>;
  /** Starts a service on a free port, with NATS and the keys that it needs. */
  readonly startService: (
    service: Service,
    environment: Environment,
    args?: readonly string[],
  ) => Promise<SupervisedProcess<string>>;
  /** A stand-in for identity, which knows every caller and keeps nothing. */
  readonly startIdentityStub: () => Promise<SupervisedProcess<string>>;
  /** What issues the tokens of users; with the settings of whoever is to believe them. */
  readonly startIssuer: () => Promise<{ readonly environment: Environment; token(sub?: string): Promise<string> }>;
  /** Called when the cluster stops, the last one first. */
  readonly atStop: (stop: Stop) => void;
  readonly stop: () => Promise<void>;
}

export async function startCluster<const Service extends string>({
  services,
  profiles,
}: ClusterOptions<Service>): Promise<Cluster<Service>> {
  const stops: Stop[] = [];
  const atStop = (stop: Stop): void => void stops.push(stop);
  const directory = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  chmodSync(directory, 0o755);
  atStop(() => rmSync(directory, { recursive: true, force: true }));
  const nats = await throwawayNats();
  atStop(() => nats.drop());
  await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(20_000) });
  const keys = await generateServiceKeys(services);
  const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];

  const run: Cluster<Service>['run'] = async (name, args, environment) => {
    const child = await supervise({
      name,
      command: process.execPath,
      args,
      cwd: ROOT,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...environment },
      logFile: join(directory, `${name}.log`),
      stopSignal: 'SIGTERM',
      ready: addressOfReadyLine,
    });
    atStop(() => child.stop());
    return child;
  };

  return {
    directory,
    nats,
    keys,
    profiling,
    run,
    startService: (service, environment, args = profiling) =>
      run(service, [...args, programOf(service)], {
        [`${service.toUpperCase()}_LISTEN`]: '127.0.0.1:0',
        NATS_URL: nats.url,
        SERVICE_PRIVATE_KEY: JSON.stringify(keys.privateKeys[service]),
        SERVICE_PUBLIC_KEYS: JSON.stringify(keys.publicKeys),
        ...environment,
      }),
    startIdentityStub: () => run('identity', [join(import.meta.dirname, 'stub/main.ts')], {}),
    async startIssuer() {
      const issuer = await startTestIdentityProvider();
      atStop(() => issuer.stop());
      return {
        environment: {
          OIDC_ISSUER: issuer.issuer,
          OIDC_AUDIENCE: issuer.audience,
          OIDC_JWKS_URL: issuer.jwksUrl,
        },
        token: (sub) => issuer.token(sub === undefined ? {} : { claims: { sub } }),
      };
    },
    atStop,
    async stop() {
      for (const stop of stops.splice(0).reverse()) await stop();
    },
  };
}

/** What every gateway of a benchmark needs besides where its services and its issuer are. */
export const gatewayEnvironment = (): Environment => ({
  PLATFORM_PORT: '0',
  GATEWAY_HOST: '127.0.0.1',
  GATEWAY_METRICS_PORT: '0',
  // One credential sends all of the load.
  GATEWAY_CALLER_BURST: '2000000000',
  CURSOR_KEY: randomBytes(32).toString('base64url'),
});

/** Where a service answers, from the line that says so; undefined for every other line. */
function addressOfReadyLine(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const said = JSON.parse(line) as { ready?: boolean; address?: string };
  return said.ready === true ? said.address : undefined;
}
