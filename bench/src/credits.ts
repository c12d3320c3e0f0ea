/** `npm run bench -- credits`: reservations per second, beside the same statement run directly through `pg`. */
import { callerAssertions, generateServiceKeys } from '@platform/auth';
import {
  billingItself,
  creditAccountsStore,
  reserveStatement,
  reserveValues,
  type NewReservation,
} from '@platform/billing/reservations';
import { loadContract } from '@platform/contract';
import type { CreditServiceClient } from '@platform/contract/billing';
import { createLogger, newId, newUlid } from '@platform/core';
import { supervise } from '@platform/embedded';
import { createClient, type CallOptions, type Closable } from '@platform/grpc';
import { openDatabase } from '@platform/postgres';
import { throwawayPostgres } from '@platform/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { median } from './rounds.ts';

export interface CreditsBench {
  readonly rounds: number;
  readonly seconds: number;
  /** Reservations in flight. */
  readonly connections: number;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** As many as the service opens unless told otherwise; the same for all that are compared. */
const POOL = 20;

type Reserve = (organisationId: string) => Promise<void>;

const sides = ['direct', 'store', 'grpc'] as const;
type Side = (typeof sides)[number];

/** Measures, prints every round, and as the last line the medians as JSON. */
export async function benchCredits(
  { rounds, seconds, connections }: CreditsBench,
  print: (line: string) => void,
): Promise<void> {
  print('starting PostgreSQL and billing …');
  const bench = await startCreditsBench();
  try {
    const scenarios = { one_account: bench.organisations.slice(0, 1), thousand_accounts: bench.organisations };
    for (const side of sides) await measure(bench.reserve[side], scenarios.thousand_accounts, 1, connections);
    print(
      `${rounds} rounds of ${seconds} s with ${connections} reservations in flight and ${POOL} connections; per second:`,
    );
    const results: Record<string, Record<string, number>> = {};
    for (const [name, organisations] of Object.entries(scenarios)) {
      const measured: Record<Side, number[]> = { direct: [], store: [], grpc: [] };
      for (let round = 0; round < rounds; round += 1) {
        // Who runs first changes, so that drift of the machine cancels out.
        for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
          measured[side].push(await measure(bench.reserve[side], organisations, seconds, connections));
        }
        print(
          `${name.padEnd(20)} ${sides.map((side) => `${side} ${(measured[side].at(-1) ?? 0).toFixed(0)}`.padEnd(16)).join('')}`,
        );
      }
      const ratioOf = (side: Side) =>
        median(measured[side].map((rate, round) => rate / (measured.direct[round] ?? NaN)));
      results[name] = {
        direct_per_second: Math.round(median(measured.direct)),
        store_per_second: Math.round(median(measured.store)),
        grpc_per_second: Math.round(median(measured.grpc)),
        store_ratio: Number(ratioOf('store').toFixed(3)),
        grpc_ratio: Number(ratioOf('grpc').toFixed(3)),
      };
    }
    print(JSON.stringify(results));
  } finally {
    await bench.stop();
  }
}

/** Reservations per second. */
async function measure(
  reserve: Reserve,
  organisations: readonly string[],
  seconds: number,
  connections: number,
): Promise<number> {
  const startedAt = performance.now();
  const end = startedAt + seconds * 1000;
  let done = 0;
  let next = 0;
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      const organisation = organisations[(next += 1) % organisations.length] ?? '';
      await reserve(organisation);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  return (done * 1000) / (performance.now() - startedAt);
}

async function startCreditsBench() {
  const directory = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  const database = await throwawayPostgres();
  const { privateKeys, publicKeys } = await generateServiceKeys(['billing', 'pipelines']);
  const billing = await supervise({
    name: 'billing',
    command: process.execPath,
    args: [join(ROOT, 'apps/billing/src/main.ts')],
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      BILLING_LISTEN: '127.0.0.1:0',
      BILLING_DATABASE_URL: database.appUrl,
      BILLING_MIGRATION_URL: database.ownerUrl,
      BILLING_DATABASE_POOL: String(POOL),
      // Events stay in the outbox: publishing them is measured elsewhere.
      NATS_URL: 'nats://127.0.0.1:9',
      SERVICE_PRIVATE_KEY: JSON.stringify(privateKeys.billing),
      SERVICE_PUBLIC_KEYS: JSON.stringify(publicKeys),
    },
    logFile: join(directory, 'billing.log'),
    stopSignal: 'SIGTERM',
    ready: addressOfReadyLine,
  });

  const organisations = Array.from({ length: 1_000 }, () => newUlid('org_'));
  await fillAccounts(database, organisations);
  const pool = new pg.Pool({ connectionString: database.appUrl, max: POOL });
  // Dropping the database ends what is still closing.
  pool.on('error', () => undefined);
  const logger = createLogger({ service: 'bench', level: 'silent' });
  const opened = openDatabase({
    url: database.appUrl,
    applicationName: 'bench',
    poolMax: POOL,
    acquireTimeoutMs: 60_000,
    logger,
  });
  const accounts = creditAccountsStore(opened, () => undefined);
  const client = createClient<CreditServiceClient<CallOptions> & Closable>({
    contract: loadContract(),
    service: 'platform.billing.v1.CreditService',
    address: billing.ready,
    assertions: callerAssertions({ service: 'pipelines', privateKey: privateKeys.pipelines }),
    timeoutMs: 60_000,
  });

  const direct: Reserve = async (organisationId) => {
    const values = reserveValues(billingItself(organisationId, 'bench'), wanted(), new Date());
    const connection = await pool.connect();
    try {
      await connection.query('BEGIN');
      await connection.query(`SELECT set_config('app.organisation_id', $1, true)`, [organisationId]);
      const { rowCount } = await connection.query({ ...reserveStatement, values: [...values] });
      if (rowCount !== 1) throw new Error('the statement reserved nothing');
      await connection.query('COMMIT');
    } finally {
      connection.release();
    }
  };
  const store: Reserve = async (organisationId) => {
    const { kind } = await accounts.reserve(billingItself(organisationId, 'bench'), wanted(), new Date());
    if (kind !== 'reserved') throw new Error(`the store answered ${kind}`);
  };
  const grpc: Reserve = async (organisationId) => {
    await client.reserveCredits(
      { reservationId: newId(), amountMicros: '1', purpose: 'bench' },
      { caller: { kind: 'service', service: 'pipelines', organisationId, scopes: [] } },
    );
  };
  return {
    organisations,
    reserve: { direct, store, grpc } satisfies Record<Side, Reserve>,
    stop: async () => {
      client.close();
      await billing.stop();
      await opened.close();
      await pool.end();
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const wanted = (): NewReservation => ({
  id: newId(),
  amount: 1n,
  purpose: 'bench',
  creditClass: 'AI',
  clientGroupId: null,
  apiKeyId: null,
  service: 'pipelines',
  expiresAt: new Date(Date.now() + 3_600_000),
});

/** More credits than any run can reserve, put there by the superuser. */
async function fillAccounts(
  { superuserUrl, appUrl }: { superuserUrl: string; appUrl: string },
  organisations: readonly string[],
): Promise<void> {
  const url = new URL(superuserUrl);
  url.pathname = new URL(appUrl).pathname;
  const superuser = new pg.Client({ connectionString: url.href });
  await superuser.connect();
  await superuser.query(
    `INSERT INTO credit_accounts (organisation_id, available_micros, reserved_micros, undrawn_micros, expiry_held,
       version, created_at)
     SELECT id, 1000000000000, 0, 0, false, 0, now() FROM unnest($1::text[]) AS id`,
    [organisations],
  );
  await superuser.end();
}

function addressOfReadyLine(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const said = JSON.parse(line) as { ready?: boolean; address?: string };
  return said.ready === true ? said.address : undefined;
}
