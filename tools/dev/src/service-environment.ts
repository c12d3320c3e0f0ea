import type { Surroundings } from './embedded-servers.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Addresses } from './service-addresses.ts';
import { variable, type Service } from './services.ts';
import type { Settings } from './settings.ts';

/** All that the variables of a service are made from. */
export interface ServiceContext {
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  readonly surroundings: Surroundings;
  readonly infrastructure: Infrastructure;
  readonly addresses: Addresses;
  readonly services: readonly Service[];
}

/** The environment of a service: what all are told, and what is its own. */
export function serviceEnvironment({ name, defaults }: Service, context: ServiceContext): NodeJS.ProcessEnv {
  const database = context.infrastructure.databases.get(name);
  const own = defaults?.(context.env) ?? {};
  return {
    ...shared(name, context),
    ...own,
    ...picked(context.env, Object.keys(own)),
    [variable(name, 'LISTEN')]: context.addresses.services.get(name),
    METRICS_LISTEN: context.addresses.metrics.get(name),
    [variable(name, 'DATABASE_URL')]: database?.app,
  };
}

/** The environment of a service that only migrates; undefined where nobody told us how to connect as the owner. */
export function migrationEnvironment(name: string, context: ServiceContext): NodeJS.ProcessEnv | undefined {
  const database = context.infrastructure.databases.get(name);
  if (database?.owner === undefined) return undefined;
  return {
    [variable(name, 'DATABASE_URL')]: database.app,
    [variable(name, 'MIGRATION_URL')]: database.owner,
  };
}

export function gatewayEnvironment(name: string, context: ServiceContext): NodeJS.ProcessEnv {
  const { infrastructure, surroundings, addresses, settings, env } = context;
  return {
    ...shared(name, context),
    PLATFORM_PORT: String(settings.port),
    OIDC_ISSUER: infrastructure.issuer,
    OIDC_AUDIENCE: infrastructure.audience,
    ...(infrastructure.jwksUrl === undefined ? {} : { OIDC_JWKS_URL: infrastructure.jwksUrl }),
    CURSOR_KEY: surroundings.secrets.cursorKey,
    GATEWAY_METRICS_PORT: String(addresses.gatewayMetricsPort),
    ...picked(env, ['CURSOR_KEY', 'GATEWAY_METRICS_PORT']),
  };
}

/** What every process of the platform is told. The environment's own values win. */
function shared(name: string, { infrastructure, surroundings, addresses, env }: ServiceContext): NodeJS.ProcessEnv {
  const { servicePrivateKeys, servicePublicKeys } = surroundings.secrets;
  return {
    ...Object.fromEntries([...addresses.services].map(([other, address]) => [variable(other, 'ADDRESS'), address])),
    NATS_URL: infrastructure.natsUrl(name),
    SERVICE_PRIVATE_KEY: JSON.stringify(servicePrivateKeys[name]),
    SERVICE_PUBLIC_KEYS: JSON.stringify(servicePublicKeys),
    ...picked(env, ['LOG_LEVEL', 'OTEL_EXPORTER_OTLP_ENDPOINT']),
  };
}

function picked(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]));
}
