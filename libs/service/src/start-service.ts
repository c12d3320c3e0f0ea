import { assertionVerifier, callerAssertions } from '@platform-backend/auth';
import { loadContract, loadServiceContract } from '@platform-backend/contract';
import {
  quietly,
  serviceVariable,
  systemClock,
  trackActivity,
  type DomainError,
  type IdempotencyStore,
} from '@platform-backend/core';
import { createMetrics, type Metrics, type Readiness } from '@platform-backend/core/metrics';
import { openEventBus, openWorkQueue, startReaction, startRelay, subscribe } from '@platform-backend/events';
import {
  countCalls,
  createClient,
  refusingClient,
  startGrpcServer,
  tlsFrom,
  type Closable,
} from '@platform-backend/grpc';
import { clockSkews, type ClockSkews } from './clock-skews.ts';
import type { ServiceDeclaration } from './declaration.ts';
import { dependencyHealth } from './dependency-health.ts';
import { serviceNotConfigured } from './errors.ts';
import { openWhenAvailable } from './open-when-available.ts';
import { repeat, REST_MS, type PeriodicJob } from './periodic-job.ts';
import type { Compose } from './service-context.ts';
import type { RunningService, Service, ServiceEnvironment } from './service.ts';

/**
 * Starts a service. Everything is closed in the reverse order, also when some of it cannot be started: the server first,
 * then what works beside it, the storage and the page of metrics last.
 */
export async function startService(
  { declaration, readSettings }: Service,
  compose: Compose<ServiceDeclaration>,
  { env, logger, accessLog, clock = systemClock, activity = trackActivity() }: ServiceEnvironment,
): Promise<RunningService> {
  const { name, storage, events, calls, callsIfThere } = declaration;
  const { common, server: listening, ...settings } = readSettings(env);
  const tls = tlsFrom(common);
  const running = new AsyncDisposableStack();
  try {
    const metrics = createMetrics();
    let isServing = false;
    let isHealthy = (): Promise<boolean> => Promise.resolve(false);
    let isJetStreamUp = (): Promise<boolean> => Promise.resolve(false);
    // Events wait while NATS is away: whoever looks hears of it, and calls are served all the same.
    const readiness = async (): Promise<Readiness> => {
      const [database, nats] = await Promise.all([isHealthy(), isJetStreamUp()]);
      return { isReady: isServing && database, dependencies: { database, nats } };
    };
    const metricsPage = running.adopt(await metrics.serve(common.METRICS_LISTEN, readiness), (page) => page.close());
    const opening = { settings: settings.storage, applicationName: name, logger, metrics, onWrite: activity.written };
    const { outbox, inbox, idempotencyStore, opened, ping } = running.adopt(
      await openWhenAvailable({ open: () => storage.open(opening), logger }),
      (it) => it.close(),
    );
    const database = dependencyHealth({ ping });
    isHealthy = () => database.isUp();
    const bus = running.adopt(openEventBus({ servers: common.NATS_URL, name, logger }), (it) => it.close());
    const showDependency = (dependency: string, isUp: () => boolean | Promise<boolean>): void => {
      const help = 'Whether what this process works with answers: 1, or 0.';
      metrics.observe('dependency_up', help, async () => Number(await isUp()), { dependency });
    };
    showDependency('database', isHealthy);
    // The server may be there without it, as behind a full disk.
    const jetStream = dependencyHealth({ ping: () => bus.ping(), limitMs: 1_000 });
    isJetStreamUp = () => jetStream.isUp();
    showDependency('nats', isJetStreamUp);
    const relaying = {
      ...{ outbox, bus, logger, accessLog, metrics },
      // Of events that other replicas have written it is told as well.
      onNotice: activity.happened,
      pollMs: () => (activity.isLively() ? RELAY_LOOK_MS : REST_MS),
    };
    const relay = quietly(() => startRelay(relaying));
    running.defer(() => relay.stop());
    const repeating = { logger, activity };
    running.adopt(repeat(removalOf(idempotencyStore), repeating), (it) => it.stop());

    const { SERVICE_PRIVATE_KEY: privateKey } = settings.keys;
    const assertions = privateKey && callerAssertions({ service: name, privateKey });
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as of the frame
    const client = <Client extends object>(service: string): Client => {
      const called = domainOf(service);
      const [domain, address] = [{ ...calls, ...callsIfThere }[called], settings.addresses[called]];
      if (!assertions || !domain) throw new Error(`${name} does not say that it calls ${service}`);
      let made: Closable | undefined;
      // It may be used for the first time by what ends with the service.
      running.defer(() => made?.close());
      return madeWhenUsed(() => {
        const contract = loadServiceContract(domain, service);
        if (!address) return refusingClient<Client>(contract, service, () => withoutService(called));
        const client = createClient<Client>({ contract, service, address, assertions, tls });
        made = client;
        return client;
      });
    };
    for (const absent of Object.keys(callsIfThere ?? {}).filter((called) => !settings.addresses[called])) {
      const variable = serviceVariable(absent, 'ADDRESS');
      logger.warn({ event: 'service.address_missing', variable }, `${withoutService(absent).message}; the rest works`);
    }
    const {
      handlers,
      reactions,
      followers,
      jobs: repeated,
    } = await compose({
      settings: settings.own,
      listen: listening.LISTEN,
      storage: opened,
      clock,
      logger,
      metrics,
      client,
      clientIfThere: (service) => (settings.addresses[domainOf(service)] === undefined ? undefined : client(service)),
      peer: (service, address) => {
        if (!assertions) throw new Error(`${name} calls nobody, so it has no key to call its replicas with`);
        const contract = loadContract(declaration.contract);
        return createClient({ contract, service: `platform.${name}.v1.${service}`, address, assertions, tls });
      },
      queue: (queue) => openWorkQueue({ bus, logger, service: name, name: queue }),
      eventsFlow: () => bus.isConnected,
      wakeRelay: () => {
        activity.written();
        relay.wake();
      },
      repeat: (job) => running.adopt(repeat(job, repeating), (it) => it.stop()),
      defer: (close) => running.defer(async () => close()),
    });
    for (const [reaction, on] of Object.entries(events.reactions)) {
      const effect = promised(reactions, reaction);
      running.adopt(startReaction({ name: reaction, on, effect, inbox, bus, logger, metrics }), (it) => it.stop());
    }
    for (const on of events.follows) {
      running.adopt(subscribe({ ...promised(followers, on), on, bus, logger }), (it) => it.close());
    }
    for (const work of repeated ?? []) running.adopt(repeat(work, repeating), (it) => it.stop());

    const contract = loadContract(declaration.contract);
    requireAllServed(contract.operations, name, handlers);
    const server = await startGrpcServer({
      contract,
      logger,
      accessLog,
      listen: listening.LISTEN,
      verifier: assertionVerifier({
        keys: common.SERVICE_PUBLIC_KEYS,
        clock,
        onSkew: shownSkews(common.SERVICE_PUBLIC_KEYS, metrics),
      }),
      tls,
      onCall: countCalls(metrics),
      idempotencyStore,
      isHealthy,
      reflection: common.GRPC_REFLECTION === 'on',
      services: Object.entries<object>(handlers as Readonly<Record<string, object>>).map(([service, given]) => ({
        name: `platform.${name}.v1.${service}`,
        handlers: given,
      })),
    });
    isServing = true;
    running.defer(() => {
      isServing = false;
      return server.drain();
    });
    return {
      address: server.address,
      metricsAddress: metricsPage.address,
      stop: () => running.disposeAsync(),
    };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}

/** Shows how far the clock of each service that has a key is ahead, as soon as it has called. */
function shownSkews(
  { keys }: { readonly keys: readonly { readonly kid?: string }[] },
  metrics: Metrics,
): ClockSkews['seen'] {
  const skews = clockSkews();
  for (const service of new Set(keys.flatMap(({ kid }) => kid ?? []))) {
    const help = 'By how many seconds the clock of a service that calls is ahead.';
    metrics.observe('caller_clock_skew_seconds', help, () => skews.of(service), { service });
  }
  return skews.seen;
}

/** How often the outbox is looked into though nobody has told of an event, in milliseconds. */
const RELAY_LOOK_MS = 5_000;

/** To read the contracts of all that a service may call takes a fifth of its start; each is read with the first call. */
function madeWhenUsed<Client extends object>(make: () => Client): Client {
  let made: Client | undefined;
  return new Proxy<Client>({} as Client, { get: (_, method) => Reflect.get((made ??= make()), method) as unknown });
}

const withoutService = (service: string): DomainError =>
  serviceNotConfigured({ service, setting: serviceVariable(service, 'ADDRESS') });

const domainOf = (protoService: string): string => protoService.split('.')[1] ?? '';

/** What was kept of calls is forgotten a day later. */
const removalOf = (idempotencyStore: IdempotencyStore): PeriodicJob => ({
  name: 'the removal of answers that were kept for repetitions',
  everyMs: 5 * 60_000,
  run: async (stopping) => {
    while (!stopping.aborted && (await idempotencyStore.prune()) > 0);
  },
});

/** A proto service that was forgotten would be missed by callers alone. */
function requireAllServed(operations: readonly { service: string }[], name: string, handlers: object): void {
  const promised = new Set(operations.map(({ service }) => service));
  const missing = [...promised].filter((service) => {
    const [, domain = '', , own = ''] = service.split('.');
    return domain === name && !(own in handlers);
  });
  if (missing.length > 0) throw new Error(`nothing handles ${missing.join(', ')}`);
}

/** What the composition has for a name of the declaration. */
function promised<T>(given: Readonly<Record<string, T>> | undefined, name: string): T {
  const found = given?.[name];
  if (found === undefined) throw new Error(`it says that it hears of "${name}" and does nothing about it`);
  return found;
}
