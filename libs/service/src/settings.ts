import { privateKeySettings, publicKeysSettings } from '@platform-backend/auth';
import {
  byVariable,
  hostAndPort,
  logLevel,
  optional,
  readConfiguration,
  readConfigurations,
  serviceAddress,
  serviceVariable,
  settingsOfService,
  url,
  type Configuration,
  type Environment,
  type Setting,
  type Settings,
} from '@platform-backend/core';
import { metricsSettings } from '@platform-backend/core/metrics';
import { reflectionSettings, tlsSettings, tracingSettings } from '@platform-backend/grpc/settings';
import type { ServiceDeclaration } from './declaration.ts';

/** What every service is told. */
const commonSettings = {
  NATS_URL: url({
    protocols: ['nats', 'tls'],
    example: 'nats://127.0.0.1:4222',
    description:
      'NATS, as the user of this service: `nats://user:password@host:port`; it may be away, events wait in the outbox',
  }),
  ...publicKeysSettings,
  LOG_LEVEL: logLevel(),
  ...tlsSettings,
  ...reflectionSettings,
  ...tracingSettings,
  ...metricsSettings,
};

/** Absent where nobody is called. */
type PrivateKeySettings = {
  SERVICE_PRIVATE_KEY: Setting<Configuration<typeof privateKeySettings>['SERVICE_PRIVATE_KEY'] | undefined>;
};

export type ServiceSettings = ReturnType<typeof readServiceSettings>;

const settingsOf = ({ name, port, settings, storage, calls, callsIfThere = {} }: ServiceDeclaration) => ({
  common: commonSettings,
  server: settingsOfService(name, {
    LISTEN: hostAndPort({
      default: `127.0.0.1:${port}`,
      description: 'where it listens, for gRPC; port 0 takes any free one, and the ready line says which',
    }),
  }),
  storage: settingsOfService(name, storage.settings),
  /** Only who calls others has a key of its own. */
  keys: (Object.keys({ ...calls, ...callsIfThere }).length > 0 ? privateKeySettings : {}) as PrivateKeySettings,
  /** Where each service is that it calls. */
  addresses: {
    ...addressesOf(callsIfThere, (where) =>
      optional(serviceAddress({ description: `${where}; without it what needs it is refused` })),
    ),
    ...addressesOf(calls, (description) => serviceAddress({ description })),
  },
  own: settings,
});

const addressesOf = <T>(calls: ServiceDeclaration['calls'], setting: (description: string) => Setting<T>) =>
  Object.fromEntries(
    Object.keys(calls).map((service) => [
      service,
      { ...setting(`where ${service} is`), variable: serviceVariable(service, 'ADDRESS') },
    ]),
  );

const migrationSettingsOf = ({ name, storage }: ServiceDeclaration) => ({
  ...settingsOfService(name, storage.migrationSettings),
  LOG_LEVEL: logLevel(),
});

/** @throws ConfigurationError naming everything that is wrong with the environment at once. */
export const readServiceSettings = (declaration: ServiceDeclaration, env: Environment) =>
  readConfigurations(env, settingsOf(declaration));

/** What migrating alone needs. */
export const readMigrationSettings = (declaration: ServiceDeclaration, env: Environment) =>
  readConfiguration(env, migrationSettingsOf(declaration));

/** Every variable that a service reads, and those that it reads to migrate alone. */
export const variablesOf = (declaration: ServiceDeclaration): Readonly<Record<'running' | 'migrating', Settings>> => ({
  running: Object.assign({}, ...Object.values(settingsOf(declaration)).map(byVariable)) as Settings,
  migrating: byVariable(migrationSettingsOf(declaration)),
});
