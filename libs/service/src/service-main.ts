import { runService, type Logger, type StartedService } from '@platform-backend/core';
import { accessLogOf } from '@platform-backend/core/access-log';
import { createLogger } from '@platform-backend/core/logger';
import { parseArgs } from 'node:util';
import type { ServiceDeclaration } from './declaration.ts';
import type { Compose } from './service-context.ts';
import type { Service } from './service.ts';

const { env } = process;

/** The main program of a service: runs it, or with an argument (`migrate`, `events`) does that alone. */
export async function serviceMain(service: Service, load: () => Promise<Compose<ServiceDeclaration>>): Promise<void> {
  const { name } = service.declaration;
  const [, , word, ...args] = process.argv;
  const level = env['LOG_LEVEL'];
  if (word === undefined) {
    const logger = createLogger({ service: name, level });
    const { drainLimitMs } = service.declaration;
    return runService({
      ...{ name, logger, start: () => startTraced(service, load, logger) },
      ...(drainLimitMs !== undefined && { drainLimitMs }),
    });
  }
  if (word === 'migrate') {
    const logger = createLogger({ service: name, level });
    return failing(logger, `${name} could not migrate`, async () =>
      logger.info({ applied: await service.migrate(env, logger) }, `${name} is migrated`),
    );
  }
  // Standard output is for the answers.
  const logger = createLogger({ service: name, level, destination: process.stderr });
  await failing(logger, `${name} could not do it`, async () => {
    if (word === 'events') return events(service, args, logger);
    if (word === 'organisation') return organisation(service, args);
    if (word === 'secrets') return secrets(service, args, logger);
    throw new Error(`it knows migrate, events, organisation, secrets, and not "${word}"`);
  });
}

async function startTraced(
  service: Service,
  load: () => Promise<Compose<ServiceDeclaration>>,
  logger: Logger,
): Promise<StartedService> {
  const [compose, { exportTraces }] = await Promise.all([load(), import('@platform-backend/grpc')]);
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = service.readSettings(env).common;
  const traces = await exportTraces({ service: service.declaration.name, endpoint });
  const { stop, ...ready } = await service.start(compose, { env, logger, accessLog: accessLogOf(logger) });
  return {
    ready,
    stop: async () => {
      await stop();
      await traces.stop();
    },
  };
}

/** What an operator does with the events of a service. */
async function events({ declaration, readSettings }: Service, args: readonly string[], logger: Logger): Promise<void> {
  const [{ createMetrics }, { eventsCommand }] = await Promise.all([
    import('@platform-backend/core/metrics'),
    import('@platform-backend/events'),
  ]);
  const { common, storage: settings } = readSettings(env);
  const opening = { settings, applicationName: `${declaration.name} events`, logger, metrics: createMetrics() };
  const store = await declaration.storage.open(opening);
  try {
    await eventsCommand({
      args,
      logger,
      outbox: store.outbox,
      consumers: Object.keys(declaration.events.reactions),
      natsUrl: common.NATS_URL,
      write: (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`),
    });
  } finally {
    await store.close();
  }
}

/** What an operator does with all that a service keeps of one organisation. */
async function organisation({ declaration, readSettings }: Service, args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { from: { type: 'string' } },
  });
  const [word, organisationId, ...rest] = positionals;
  const { from } = values;
  if (word !== 'restore' || organisationId === undefined || from === undefined || rest.length > 0)
    throw new Error('say restore ORGANISATION --from ADDRESS-OF-A-DATABASE');
  const { restoresOrganisations } = declaration;
  if (!restoresOrganisations) throw new Error('it keeps people or books, which are not put back by organisation');
  const { DATABASE_URL: to } = readSettings(env).storage;
  if (typeof to !== 'string') throw new Error('it is not told where its database is');
  const restored = await declaration.storage.restoreOrganisation({
    from,
    to,
    organisationId,
    ...restoresOrganisations,
  });
  process.stdout.write(`${JSON.stringify({ organisationId, restored })}\n`);
}

/** What an operator does with all secrets that a service keeps. */
async function secrets(service: Service, [word, ...rest]: readonly string[], logger: Logger): Promise<void> {
  if (word !== 'reseal' || rest.length > 0) throw new Error('say reseal');
  const { resealSecrets } = await import('./reseal-secrets.ts');
  await resealSecrets(service, {
    env,
    logger,
    write: (resealed) => process.stdout.write(`${JSON.stringify(resealed)}\n`),
  });
}

async function failing(logger: Logger, what: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    logger.fatal({ event: 'service.command_failed', err: error }, `${what}: ${reason}`);
    process.exitCode = 1;
  }
}
