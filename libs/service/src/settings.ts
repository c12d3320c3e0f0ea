import { privateKeySettings, publicKeysSettings } from '@platform-backend/auth';
import {
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
} from '@platform-backend/core';
import { metricsSettings } from '@platform-backend/core/metrics';
import { tlsSettings, tracingSettings } from '@platform-backend/grpc/settings';
import type { ServiceDeclaration } from './declaration.ts';

/** What every service is told. */
const commonSettings = {
  NATS_URL: url({ protocols: ['nats', 'tls'], example: 'nats://127.0.0.1:4222' }),
  ...publicKeysSettings,
  LOG_LEVEL: logLevel(),
  ...tlsSettings,
  ...tracingSettings,
  ...metricsSettings,
};

/** Absent where nobody is called. */
type PrivateKeySettings = {
  SERVICE_PRIVATE_KEY: Setting<Configuration<typeof privateKeySettings>['SERVICE_PRIVATE_KEY'] | undefined>;
};

export type ServiceSettings = ReturnType<typeof readServiceSettings>;

/** @throws ConfigurationError naming everything that is wrong with the environment at once. */
export const readServiceSettings = (
  { name, port, settings, storage, calls, callsIfThere = {} }: ServiceDeclaration,
  env: Environment,
) =>
  readConfigurations(env, {
    common: commonSettings,
    server: settingsOfService(name, { LISTEN: hostAndPort({ default: `127.0.0.1:${port}` }) }),
    storage: settingsOfService(name, storage.settings),
    /** Only who calls others has a key of its own. */
    keys: (Object.keys({ ...calls, ...callsIfThere }).length > 0 ? privateKeySettings : {}) as PrivateKeySettings,
    /** Where each service is that it calls. */
    addresses: {
      ...addressesOf(callsIfThere, optional(serviceAddress())),
      ...addressesOf(calls, serviceAddress()),
    },
    own: settings,
  });

const addressesOf = <T>(calls: ServiceDeclaration['calls'], setting: Setting<T>) =>
  Object.fromEntries(
    Object.keys(calls).map((service) => [service, { ...setting, variable: serviceVariable(service, 'ADDRESS') }]),
  );

/** What migrating alone needs. */
export const readMigrationSettings = ({ name, storage }: ServiceDeclaration, env: Environment) =>
  readConfiguration(env, { ...settingsOfService(name, storage.migrationSettings), LOG_LEVEL: logLevel() });
