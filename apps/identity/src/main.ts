import { accessLogOf, createLogger, logLines, runService } from '@platform/core';
import { exportTraces } from '@platform/grpc';
import { startIdentity } from './compose.ts';
import { readConfig, readMigrationConfig } from './config.ts';
import { migrateIdentity } from './migrate-identity.ts';

const lines = logLines();
const logger = createLogger({ service: 'identity', level: process.env['LOG_LEVEL'], destination: lines });
const accessLog = accessLogOf(logger, lines);

if (process.argv[2] === 'migrate') await migrateOnly();
else await runService({ name: 'identity', logger, start });

async function start() {
  const config = readConfig(process.env);
  if (config.IDENTITY_MIGRATION_URL !== undefined) {
    const { IDENTITY_MIGRATION_URL: migrationUrl, IDENTITY_DATABASE_URL: databaseUrl } = config;
    await migrateIdentity({ migrationUrl, databaseUrl, logger });
  }
  const traces = await exportTraces({ service: 'identity', endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
  const { address, stop } = await startIdentity({ config, logger, accessLog });
  return {
    ready: { address },
    stop: async () => {
      await stop();
      await traces.stop();
    },
  };
}

async function migrateOnly(): Promise<void> {
  try {
    const { IDENTITY_MIGRATION_URL: migrationUrl, IDENTITY_DATABASE_URL: databaseUrl } = readMigrationConfig(
      process.env,
    );
    const applied = await migrateIdentity({ migrationUrl, databaseUrl, logger });
    logger.info({ applied }, 'identity is migrated');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.fatal({ err: error }, `identity could not migrate: ${reason}`);
    process.exitCode = 1;
  }
}
