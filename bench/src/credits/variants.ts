/** The variants of reserving credits that are compared; each has a process of its own, `caller.ts`. */
import { callerAssertions, type CallerAssertionOptions } from '@platform-backend/auth';
import { reservationRecord, reserveStatement, reserveValues } from '@platform-backend/billing/reservations';
import { loadContract } from '@platform-backend/contract';
import { billingContract, type CreditServiceClient } from '@platform-backend/contract-billing';
import { newId, serviceActorContext } from '@platform-backend/core';
import { createClient, type CallOptions, type Closable } from '@platform-backend/grpc';
import pg from 'pg';

/**
 * - `direct`: what one writes with `pg`: BEGIN, the setting for row-level security, the statement, COMMIT, each awaited.
 * - `pipelined`: the same four sent together and answered together, which is what the service's store does.
 * - `grpc`: ReserveCredits of the billing service.
 */
export const variants = ['direct', 'pipelined', 'grpc'] as const;
export type Variant = (typeof variants)[number];

/** Reserves one millionth of a credit, and throws when that did not work. */
export type Reserve = (organisationId: string) => Promise<void>;

export interface VariantParts {
  readonly databaseUrl: string;
  /** Connections to PostgreSQL. */
  readonly poolMax: number;
  readonly billingAddress: string;
  readonly privateKey: CallerAssertionOptions['privateKey'];
}

/** The service in whose name everything is reserved. */
export const SERVICE = 'pipelines';

export function reserveIn(variant: Variant, parts: VariantParts): Reserve {
  return variant === 'grpc' ? throughService(parts) : throughPg(variant, parts);
}

function throughPg(variant: 'direct' | 'pipelined', { databaseUrl, poolMax }: VariantParts): Reserve {
  const run = variant === 'direct' ? oneAfterTheOther : allTogether;
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: poolMax,
    idleTimeoutMillis: 0,
    pipeline: variant === 'pipelined',
  });
  return async (organisationId) => {
    const connection = await pool.connect();
    try {
      await run(connection, organisationId);
    } finally {
      connection.release();
    }
  };
}

const scope = { name: 'scope', text: `SELECT set_config('app.organisation_id', $1, true)` };

async function oneAfterTheOther(connection: pg.PoolClient, organisationId: string): Promise<void> {
  await connection.query('BEGIN');
  await connection.query({ ...scope, values: [organisationId] });
  checked(await connection.query(statementFor(organisationId)));
  await connection.query('COMMIT');
}

async function allTogether(connection: pg.PoolClient, organisationId: string): Promise<void> {
  const [, , reserved] = await Promise.all([
    connection.query('BEGIN'),
    connection.query({ ...scope, values: [organisationId] }),
    connection.query(statementFor(organisationId)),
    connection.query('COMMIT'),
  ]);
  checked(reserved);
}

function statementFor(organisationId: string): pg.QueryConfig {
  const at = new Date();
  const wanted = {
    id: newId(),
    amount: 1n,
    purpose: 'bench',
    creditClass: 'AI',
    clientGroupId: null,
    apiKeyId: null,
    service: SERVICE,
    expiresAt: new Date(at.getTime() + 30_000),
  } as const;
  return {
    name: reserveStatement.name,
    text: reserveStatement.text,
    values: [
      ...reserveValues(
        [
          reservationRecord({
            by: serviceActorContext(SERVICE, organisationId, 'bench'),
            ...{ wanted, at, policy: { heardAfter: null, at } },
          }),
        ],
        true,
      ),
    ],
  };
}

function checked({ rows }: pg.QueryResult): void {
  const [row] = rows as [{ available_micros: string | null }];
  if (row.available_micros === null) throw new Error('the statement reserved nothing');
}

function throughService({ billingAddress, privateKey }: VariantParts): Reserve {
  const client = createClient<CreditServiceClient<CallOptions> & Closable>({
    contract: loadContract(billingContract),
    service: 'platform.billing.v1.CreditService',
    address: billingAddress,
    assertions: callerAssertions({ service: SERVICE, privateKey }),
    timeoutMs: 60_000,
  });
  return async (organisationId) => {
    await client.reserveCredits(
      { reservationId: newId(), amountMicros: '1', purpose: 'bench' },
      { caller: { organisationId } },
    );
  };
}
