import { serviceVariable } from '@platform-backend/core';
import { webClient } from '@platform-backend/embedded/development-grant';
import type { Service } from '@platform-backend/service';
import { homePaths } from './home.ts';
import type { EmbeddedServersContext } from './infrastructure/embedded-servers.ts';
import type { Infrastructure } from './infrastructure/infrastructure.ts';
import type { Addresses } from './service-addresses.ts';
import type { Inspection } from './service-process.ts';
import type { Settings } from './settings.ts';

/** All that the variables of a service are made from. */
export interface ServiceContext {
  readonly settings: Settings;
  readonly env: NodeJS.ProcessEnv;
  readonly surroundings: EmbeddedServersContext;
  readonly infrastructure: Infrastructure;
  readonly addresses: Addresses;
  readonly services: readonly Service[];
  readonly inspection?: Inspection | undefined;
}

/** The environment of a service: what all are told, and what is its own. */
export function serviceEnvironment({ declaration }: Service, context: ServiceContext): NodeJS.ProcessEnv {
  const { name, development } = declaration;
  const database = context.infrastructure.databases.get(name);
  const own = development?.defaults?.(context.env) ?? {};
  return {
    ...shared(name, context),
    ...objects(context),
    SECRETS_KEY: context.surroundings.secrets.secretsKey,
    ...picked(context.env, ['SECRETS_KEY', 'SECRETS_KEY_OTHER', 'OUTBOUND_ALLOWED_HOSTS']),
    ...own,
    ...picked(context.env, Object.keys(own)),
    [serviceVariable(name, 'LISTEN')]: context.addresses.services.get(name),
    METRICS_LISTEN: context.addresses.metrics.get(name),
    GRPC_REFLECTION: 'on',
    ...picked(context.env, ['GRPC_REFLECTION']),
    [serviceVariable(name, 'DATABASE_URL')]: database?.app,
  };
}

/** The environment of a service that only migrates; undefined where nobody told us how to connect as the owner. */
export function migrationEnvironment(name: string, context: ServiceContext): NodeJS.ProcessEnv | undefined {
  const database = context.infrastructure.databases.get(name);
  if (database?.owner === undefined) return undefined;
  return {
    [serviceVariable(name, 'DATABASE_URL')]: database.app,
    [serviceVariable(name, 'MIGRATION_URL')]: database.owner,
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
    ...(infrastructure.tokenEndpoint === undefined ? {} : { GATEWAY_DOCS_CLIENT_ID: webClient }),
    CURSOR_KEY: surroundings.secrets.cursorKey,
    GATEWAY_METRICS_PORT: String(addresses.gatewayMetricsPort),
    ...picked(env, ['CURSOR_KEY', 'GATEWAY_DOCS_CLIENT_ID', 'GATEWAY_METRICS_PORT']),
  };
}

/** Where files are, unless they are in S3. */
function objects({ settings, surroundings, env }: ServiceContext): NodeJS.ProcessEnv {
  return {
    OBJECTS_DIRECTORY: homePaths(surroundings.home).objects,
    OBJECTS_KEY: surroundings.secrets.objectsKey,
    PLATFORM_PUBLIC_URL: `http://127.0.0.1:${settings.port}`,
    ...picked(env, ['OBJECTS_DIRECTORY', 'OBJECTS_KEY', 'OBJECTS_KEY_OTHER', 'PLATFORM_PUBLIC_URL']),
  };
}

/** What every process of the platform is told. The environment's own values win. */
function shared(
  name: string,
  { settings, infrastructure, surroundings, addresses, env }: ServiceContext,
): NodeJS.ProcessEnv {
  const { servicePrivateKeys, servicePublicKeys } = surroundings.secrets;
  return {
    ...Object.fromEntries(
      [...addresses.services].map(([other, address]) => [serviceVariable(other, 'ADDRESS'), address]),
    ),
    PLATFORM_HOME: settings.home,
    NATS_URL: infrastructure.natsUrl(name),
    SERVICE_PRIVATE_KEY: JSON.stringify(servicePrivateKeys[name]),
    SERVICE_PUBLIC_KEYS: JSON.stringify(servicePublicKeys),
    ...picked(env, ['LOG_LEVEL', 'OTEL_EXPORTER_OTLP_ENDPOINT']),
  };
}

function picked(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(names.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]));
}
