import { serviceMain, type CommandCall, type Logger, type ServiceLogs } from '@platform/core';
import { eventsCommand } from '@platform/events';
import { exportTraces } from '@platform/grpc';
import { startIdentity } from './compose.ts';
import { readConfig, readMigrationConfig } from './config.ts';
import { migrateIdentity } from './migrate-identity.ts';

await serviceMain({ name: 'identity', start, migrate, commands: { events } });

async function start({ logger, accessLog }: ServiceLogs) {
  const config = readConfig(process.env);
  const traces = await exportTraces({ service: 'identity', endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
  const { stop, ...ready } = await startIdentity({ config, logger, accessLog });
  return {
    ready,
    stop: async () => {
      await stop();
      await traces.stop();
    },
  };
}

async function migrate(logger: Logger) {
  const { IDENTITY_MIGRATION_URL: migrationUrl, IDENTITY_DATABASE_URL: databaseUrl } = readMigrationConfig(process.env);
  return migrateIdentity({ migrationUrl, databaseUrl, logger });
}

function events(call: CommandCall) {
  const { IDENTITY_DATABASE_URL: databaseUrl, NATS_URL: natsUrl } = readConfig(process.env);
  return eventsCommand({ ...call, databaseUrl, natsUrl });
}
