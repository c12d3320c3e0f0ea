import { accessLogOf, createLogger, logLines, runService } from '@platform/core';
import { exportTraces } from '@platform/grpc';
import { startBilling } from './compose.ts';
import { readConfig, readMigrationConfig } from './config.ts';
import { migrateBilling } from './migrate-billing.ts';

const lines = logLines();
const logger = createLogger({ service: 'billing', level: process.env['LOG_LEVEL'], destination: lines });
const accessLog = accessLogOf(logger, lines);

if (process.argv[2] === 'migrate') await migrateOnly();
else await runService({ name: 'billing', logger, start });

async function start() {
  const config = readConfig(process.env);
  if (config.BILLING_MIGRATION_URL !== undefined) {
    const { BILLING_MIGRATION_URL: migrationUrl, BILLING_DATABASE_URL: databaseUrl } = config;
    await migrateBilling({ migrationUrl, databaseUrl, logger });
  }
  const traces = await exportTraces({ service: 'billing', endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
  const { address, stop } = await startBilling({ config, logger, accessLog });
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
    const { BILLING_MIGRATION_URL: migrationUrl, BILLING_DATABASE_URL: databaseUrl } = readMigrationConfig(process.env);
    const applied = await migrateBilling({ migrationUrl, databaseUrl, logger });
    logger.info({ applied }, 'billing is migrated');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.fatal({ err: error }, `billing could not migrate: ${reason}`);
    process.exitCode = 1;
  }
}
