/** Has debits booked in one variant whenever its parent tells it to. */
import { debitStatement, debitValues } from '@platform-backend/billing/debits';
import { createLogger } from '@platform-backend/core/logger';
import { openEventBus } from '@platform-backend/events';
import { deliverAgain } from '@platform-backend/events/testing/library';
import { serveLoads, type Load } from '../caller-process.ts';
import { transactionsThroughPg, type PgOptions } from '../through-pg.ts';
import { debitOf, eventOf } from './debits.ts';

/**
 * - `direct`: what one writes with `pg`: BEGIN, the setting for row-level security, the statement, COMMIT, each awaited, for one
 *   debit after the other on each connection.
 * - `events`: the event is published, and the billing service books it in its own time.
 */
export const variants = ['direct', 'events'] as const;
export type Variant = (typeof variants)[number];

export interface DebitLoad extends Load {
  readonly organisations: readonly string[];
}

export interface VariantParts extends PgOptions {
  readonly natsUrl: string;
}

type Owe = (organisationId: string) => Promise<void>;

function throughPg(parts: VariantParts): Owe {
  const run = transactionsThroughPg(parts, 'one_by_one');
  return async (organisationId) => {
    const now = new Date();
    const values = [...debitValues([debitOf(organisationId, now)], now, true)];
    const { rowCount } = await run(organisationId, { ...debitStatement, values });
    if (rowCount !== 1) throw new Error('the statement booked nothing');
  };
}

function throughEvents({ natsUrl }: VariantParts): Owe {
  const logger = createLogger({ service: 'bench', level: 'warn' });
  const bus = openEventBus({ servers: natsUrl, name: 'bench', logger });
  return async (organisationId) => {
    const { type, body } = eventOf(debitOf(organisationId, new Date()));
    await deliverAgain(bus, body, type);
  };
}

serveLoads(({ variant, ...parts }: VariantParts & { readonly variant: Variant }) => {
  const owe = variant === 'direct' ? throughPg(parts) : throughEvents(parts);
  return ({ organisations }: DebitLoad) => {
    let next = 0;
    return () => owe(organisations[(next += 1) % organisations.length] ?? '');
  };
});
