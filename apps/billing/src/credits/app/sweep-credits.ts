import { asPreparation, newId, type ActorContext, type Clock } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import { everybody, type ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import { expireCredits, type CreditHoldings } from '../domain/credit-account.ts';
import type { CreditAccounts } from '../domain/credit-accounts.ts';

export interface ExpiryPorts {
  readonly credits: CreditAccounts;
  readonly clock: Clock;
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
export async function sweepCredits(ports: ExpiryPorts, scope: ScheduleScope = everybody): Promise<SweepResult> {
  const released = await releaseOverdue(ports, scope);
  const due = await ports.credits.accountsToExpire(ports.clock.now(), scope, batch);
  for (const organisationId of due) await expireDueCredits(ports, systemActor(organisationId, newId()));
  return { released, expired: due.length };
}

async function releaseOverdue(ports: ExpiryPorts, scope: ScheduleScope): Promise<number> {
  const { credits, clock } = ports;
  const at = clock.now();
  const overdue = await credits.overdueReservations(at, scope, batch);
  let released = 0;
  for (const [organisationId, reservations] of Map.groupBy(overdue, (each) => each.organisationId)) {
    const ids = reservations.map(({ id }) => id);
    released += await credits.releaseOverdue(systemActor(organisationId, newId()), ids, at);
  }
  // When all were taken by another replica, the rest is left to it as well.
  return overdue.length === batch && released > 0 ? released + (await releaseOverdue(ports, scope)) : released;
}

/** Takes away what is left of grants whose time is over; answers what is there afterwards. */
export function expireDueCredits({ credits, clock }: ExpiryPorts, by: ActorContext): Promise<CreditHoldings> {
  const at = clock.now();
  return asPreparation(() =>
    credits.update(by, at, (holdings) => expireCredits(holdings, by.organisationId, at, newId)),
  );
}
