import { asPreparation, newId, type ActorContext, type Clock, type Logger } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import { everybody, type ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import { expireCredits, type CreditHoldings } from '../domain/credit-account.ts';
import type { CreditAccounts } from '../domain/credit-accounts.ts';

export interface ExpiryPorts {
  readonly credits: CreditAccounts;
  readonly clock: Clock;
}

export interface SweepPorts extends ExpiryPorts {
  readonly logger: Logger;
}

/** So many at once, so that a sweep after an outage holds no account for long. */
const batch = 500;

export interface SweepResult {
  readonly released: number;
  readonly expired: number;
}

/**
 * Releases reservations that nobody has extended, and takes away expired credits. Any number of replicas may do it at
 * the same time: each change is conditional, so it happens once.
 */
export async function sweepCredits(ports: SweepPorts, scope: ScheduleScope = everybody): Promise<SweepResult> {
  const released = await releaseOverdue(ports, scope);
  let expired = 0;
  for (const organisationId of await ports.credits.accountsToExpire(ports.clock.now(), scope, batch))
    expired += await sweepOne(ports, organisationId, async (by) => {
      await expireDueCredits(ports, by);
      return 1;
    });
  return { released, expired };
}

async function releaseOverdue(ports: SweepPorts, scope: ScheduleScope): Promise<number> {
  const { credits, clock } = ports;
  const at = clock.now();
  const overdue = await credits.overdueReservations(at, scope, batch);
  let released = 0;
  for (const [organisationId, reservations] of Map.groupBy(overdue, (each) => each.organisationId)) {
    const ids = reservations.map(({ id }) => id);
    released += await sweepOne(ports, organisationId, (by) => credits.releaseOverdue(by, ids, at));
  }
  // When all were taken by another replica, the rest is left to it as well.
  return overdue.length === batch && released > 0 ? released + (await releaseOverdue(ports, scope)) : released;
}

/** An organisation of which it fails, as when its account is locked, keeps no other waiting. */
async function sweepOne(
  { logger }: SweepPorts,
  organisationId: string,
  sweep: (by: ActorContext) => Promise<number>,
): Promise<number> {
  try {
    return await sweep(systemActor(organisationId, newId()));
  } catch (error) {
    logger.warn(
      { event: 'credits.not_swept', err: error, organisationId },
      'credits that are due could not be released or taken away, the next sweep tries again',
    );
    return 0;
  }
}

/** Takes away what is left of grants whose time is over; answers what is there afterwards. */
export function expireDueCredits({ credits, clock }: ExpiryPorts, by: ActorContext): Promise<CreditHoldings> {
  const at = clock.now();
  return asPreparation(() =>
    credits.update(by, at, (holdings) => expireCredits(holdings, by.organisationId, at, newId)),
  );
}
