import { serviceMain, type CommandCall, type Logger, type ServiceLogs } from '@platform/core';
import { eventsCommand } from '@platform/events';
import { exportTraces } from '@platform/grpc';
import { startBilling } from './compose.ts';
import { readConfig, readMigrationConfig } from './config.ts';
import { migrateBilling } from './migrate-billing.ts';

await serviceMain({ name: 'billing', start, migrate, commands: { events } });

async function start({ logger, accessLog }: ServiceLogs) {
  const config = readConfig(process.env);
  const traces = await exportTraces({ service: 'billing', endpoint: config.OTEL_EXPORTER_OTLP_ENDPOINT });
  const { stop, ...ready } = await startBilling({ config, logger, accessLog });
  return {
    ready,
    stop: async () => {
      await stop();
      await traces.stop();
    },
  };
}

async function migrate(logger: Logger) {
  const { BILLING_MIGRATION_URL: migrationUrl, BILLING_DATABASE_URL: databaseUrl } = readMigrationConfig(process.env);
  return migrateBilling({ migrationUrl, databaseUrl, logger });
}

function events(call: CommandCall) {
  const { BILLING_DATABASE_URL: databaseUrl, NATS_URL: natsUrl } = readConfig(process.env);
  return eventsCommand({ ...call, databaseUrl, natsUrl });
}
