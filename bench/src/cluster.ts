/** Starts everything a comparison needs on free ports, with nothing kept afterwards. */
import { generateServiceKeys } from '@platform-backend/auth';
import { supervise, type SupervisedProcess } from '@platform-backend/embedded';
import { setUpStreams } from '@platform-backend/events/set-up';
import { startTestIdentityProvider, throwawayNats, throwawayPostgres } from '@platform-backend/testing';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Target } from './load.ts';
import { migrateService } from './migrate-service.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What stands behind both gateways: the real identity service, or a stand-in with ready-made answers. */
export type ServiceKind = 'identity' | 'stub';

export type Cluster = {
  platform: Target;
  baseline: Target;
  /** An access token of the user every request is made for. */
  token: string;
  stop(): Promise<void>;
};

type Ready = { address: string };

const readyLine = (line: string): Ready | undefined => {
  if (!line.startsWith('{')) return undefined;
  const said = JSON.parse(line) as { ready?: boolean; address?: string };
  return said.ready === true && said.address !== undefined ? { address: said.address } : undefined;
};

export const startCluster = async (service: ServiceKind): Promise<Cluster> => {
  const directory = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  // Stopped in reverse order of their start.
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const stopOne of stops.reverse()) await stopOne();
    rmSync(directory, { recursive: true, force: true });
  };

  const run = async (
    name: string,
    script: string,
    environment: Record<string, string>,
  ): Promise<SupervisedProcess<Ready>> => {
    const child = await supervise({
      name,
      command: process.execPath,
      args: [join(ROOT, script)],
      cwd: ROOT,
      env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...environment },
      logFile: join(directory, `${name}.log`),
      stopSignal: 'SIGTERM',
      ready: readyLine,
    });
    stops.push(() => child.stop());
    return child;
  };

  try {
    const { privateKeys, publicKeys } = await generateServiceKeys(['gateway', 'identity']);
    const issuer = await startTestIdentityProvider();
    stops.push(() => issuer.stop());
    const nats = await throwawayNats();
    await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(20_000) });
    stops.push(() => nats.drop());

    const startIdentity = async () => {
      const database = await throwawayPostgres();
      stops.push(() => database.drop());
      await migrateService(join(ROOT, 'apps/identity/src/main.ts'), database);
      return run('identity', 'apps/identity/src/main.ts', {
        IDENTITY_LISTEN: '127.0.0.1:0',
        IDENTITY_DATABASE_URL: database.appUrl,
        NATS_URL: nats.url,
        SERVICE_PRIVATE_KEY: JSON.stringify(privateKeys.identity),
        SERVICE_PUBLIC_KEYS: JSON.stringify(publicKeys),
      });
    };
    const identity = service === 'stub' ? await run('stub', 'bench/src/stub/main.ts', {}) : await startIdentity();

    const shared = {
      OIDC_ISSUER: issuer.issuer,
      OIDC_AUDIENCE: issuer.audience,
      OIDC_JWKS_URL: issuer.jwksUrl,
      IDENTITY_ADDRESS: identity.ready.address,
      SERVICE_PRIVATE_KEY: JSON.stringify(privateKeys.gateway),
    };
    const baseline = await run('baseline', 'bench/src/baseline/main.ts', shared);
    const gateway = await run('gateway', 'apps/gateway/src/main.ts', {
      ...shared,
      PLATFORM_PORT: '0',
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_METRICS_PORT: '0',
      // One credential sends all of the load.
      GATEWAY_CALLER_BURST: '2000000000',
      NATS_URL: nats.url,
      SERVICE_PUBLIC_KEYS: JSON.stringify(publicKeys),
      CURSOR_KEY: randomBytes(32).toString('base64url'),
    });
    const target = ({ pid, ready }: SupervisedProcess<Ready>): Target => ({ url: `http://${ready.address}`, pid });
    return { platform: target(gateway), baseline: target(baseline), token: await issuer.token(), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
