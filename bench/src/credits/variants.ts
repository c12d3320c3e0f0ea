/** The variants of reserving credits that are compared; each has a process of its own, `caller.ts`. */
import { callerAssertions, type CallerAssertionOptions } from '@platform-backend/auth';
import { reservationRecord, reserveStatement, reserveValues } from '@platform-backend/billing/reservations';
import { loadContract } from '@platform-backend/contract';
import { billingContract, type CreditServiceClient } from '@platform-backend/contract-billing';
import { newId, serviceActorContext } from '@platform-backend/core';
import { createClient, type CallOptions, type Closable } from '@platform-backend/grpc';
import type pg from 'pg';
import type { Variant } from '../compare-variants.ts';
import { transactionsThroughPg, type PgOptions } from '../through-pg.ts';

/** Reserves one millionth of a credit, and throws when that did not work. */
export type Reserve = (organisationId: string) => Promise<void>;

export interface VariantParts extends PgOptions {
  readonly billingAddress: string;
  readonly privateKey: CallerAssertionOptions['privateKey'];
}

/** The service in whose name everything is reserved. */
export const SERVICE = 'pipelines';

export function reserveIn(variant: Variant, parts: VariantParts): Reserve {
  return variant === 'grpc' ? throughService(parts) : throughPg(variant, parts);
}

function throughPg(variant: 'direct' | 'pipelined', parts: VariantParts): Reserve {
  const run = transactionsThroughPg(parts, variant === 'direct' ? 'one_by_one' : 'together');
  return async (organisationId) => checked(await run(organisationId, statementFor(organisationId)));
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
