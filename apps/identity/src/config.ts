import { publicKeysSettings } from '@platform/auth';
import { tlsSettings, tracingSettings } from '@platform/grpc';
import { hostAndPort, integer, logLevel, optional, readConfiguration, url } from '@platform/core';
import { metricsSettings } from '@platform/core/metrics';

const postgresUrl = () => url({ protocols: ['postgres', 'postgresql'], example: 'postgres://identity@host/identity' });

/** The environment of a running service, read once; see the README for what each variable means. */
export type Config = ReturnType<typeof readConfig>;

/** @throws ConfigurationError naming everything that is wrong with the environment at once. */
export const readConfig = (env: Readonly<Record<string, string | undefined>>) =>
  readConfiguration(env, {
    IDENTITY_DATABASE_URL: postgresUrl(),
    IDENTITY_LISTEN: hostAndPort({ default: '127.0.0.1:5001' }),
    IDENTITY_DATABASE_POOL: integer({ default: 10, min: 2, max: 200 }),
    IDENTITY_DATABASE_SHARE: optional(integer({ min: 1, max: 200 })),
    IDENTITY_DATABASE_WAIT_MS: integer({ default: 5_000, min: 100, max: 600_000 }),
    IDENTITY_LOCK_TIMEOUT_MS: integer({ default: 2_000, min: 10, max: 600_000 }),
    IDENTITY_AUTHENTICATION_POOL: integer({ default: 4, min: 1, max: 100 }),
    IDENTITY_KEY_USE_FLUSH_SECONDS: integer({ default: 10, min: 1, max: 3600 }),
    NATS_URL: url({ protocols: ['nats', 'tls'], example: 'nats://127.0.0.1:4222' }),
    ...publicKeysSettings,
    LOG_LEVEL: logLevel(),
    ...tlsSettings,
    ...tracingSettings,
    ...metricsSettings,
  });

/** What migrating alone needs. */
export const readMigrationConfig = (env: Readonly<Record<string, string | undefined>>) =>
  readConfiguration(env, {
    IDENTITY_DATABASE_URL: postgresUrl(),
    IDENTITY_MIGRATION_URL: postgresUrl(),
    LOG_LEVEL: logLevel(),
  });
