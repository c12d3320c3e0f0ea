import { assertionVerifier } from '@platform/auth';
import { loadContract } from '@platform/contract';
import { newId, systemClock, type Clock, type Logger } from '@platform/core';
import { openEventBus, postgresOutbox, startRelay } from '@platform/events';
import { startGrpcServer, tlsFrom, type ServedService } from '@platform/grpc';
import { openDatabase, requireRestrictedRole, type Database } from '@platform/postgres';
import { billingApp, type BillingApp } from './app/billing-app.ts';
import type { BillingParts } from './app/billing-parts.ts';
import type { Config } from './config.ts';
import { refusals } from './store/refusals.ts';

export interface RunningBilling {
  /** `host:port` as bound. */
  readonly address: string;
  /** Lets calls in flight end, publishes what is in hand, and closes everything. */
  readonly stop: () => Promise<void>;
}

export interface BillingOptions {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock?: Clock;
}

/** Builds the service from its parts and starts it. The only place that knows which implementation is used. */
export async function startBilling({ config, logger, clock = systemClock }: BillingOptions): Promise<RunningBilling> {
  const database = openDatabase({
    url: config.BILLING_DATABASE_URL,
    applicationName: 'billing',
    poolMax: config.BILLING_DATABASE_POOL,
    logger,
    refusals,
  });
  try {
    await requireRestrictedRole(database.knex);
    const parts = billingParts(database, clock);
    const server = await startGrpcServer({
      contract: loadContract(),
      logger,
      listen: config.BILLING_LISTEN,
      verifier: assertionVerifier({ keys: config.SERVICE_PUBLIC_KEYS, clock }),
      tls: tlsFrom(config),
      services: billingServices(billingApp(parts)),
    });
    const bus = openEventBus({ servers: config.NATS_URL, name: 'billing', logger });
    const relay = startRelay({ outbox: postgresOutbox(database), bus, logger });
    return {
      address: server.address,
      stop: async () => {
        await server.drain();
        await relay.stop();
        await bus.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

const billingParts = (_database: Database, clock: Clock): BillingParts => ({ clock, newId });

const billingServices = (_app: BillingApp): ServedService[] => [];
