import { serviceVariable } from '@platform-backend/core';
import type { Service } from '@platform-backend/service';
import { homePaths, readOwnJson } from './home.ts';
import { readRunFile } from './run-file.ts';
import type { Secrets } from './secrets.ts';
import { serviceEnvironment } from './service-environment.ts';
import type { Settings } from './settings.ts';

/**
 * The environment of a service of the running platform, but at NATS as the operator, who alone may look at dead letters.
 * That of the caller where it is the whole environment of a service; undefined where nothing runs.
 */
export function operatorEnvironment(
  service: Service,
  services: readonly Service[],
  settings: Settings,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv | undefined {
  const ownDatabase = (name: string): string | undefined => env[serviceVariable(name, 'DATABASE_URL')];
  if (ownDatabase(service.declaration.name) !== undefined && env['NATS_URL'] !== undefined) return env;
  const run = readRunFile(settings.home);
  if (!run) return undefined;
  const entries = Object.entries(run.services);
  const names = services.map(({ declaration }) => declaration.name);
  return serviceEnvironment(service, {
    settings,
    env,
    services,
    surroundings: {
      home: settings.home,
      secrets: readOwnJson(homePaths(settings.home).secrets) as Secrets,
      say: () => undefined,
      signal: AbortSignal.any([]),
    },
    infrastructure: {
      issuer: run.issuer,
      audience: run.audience,
      jwksUrl: undefined,
      tokenEndpoint: run.tokenEndpoint,
      natsUrl: () => run.nats,
      databases: new Map(
        names.map((name) => [name, run.databases[name] ?? { app: ownDatabase(name) ?? '', owner: undefined }]),
      ),
      embeddedDatabases: run.databases,
    },
    addresses: {
      services: new Map(entries.map(([name, { address }]) => [name, address])),
      metrics: new Map(),
      gatewayMetricsPort: 0,
    },
  });
}
