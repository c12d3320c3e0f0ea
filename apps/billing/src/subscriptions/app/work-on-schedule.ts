import { newId, type Logger, type RoundRobin } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import { dueInTurn, everybody, type ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import { renewOnSchedule, type GraceTerms } from '../domain/renew-subscription.ts';
import type { SubscriptionChange } from '../domain/subscription-change.ts';
import { periodEnding } from '../domain/subscription-events.ts';
import { runChange, type RunChangePorts } from './run-subscription-change.ts';
import { planChange, renewalTotals, type DecideChange, type PlanChangePorts } from './subscriptions.ts';

export interface SchedulePorts extends RunChangePorts, PlanChangePorts {
  readonly grace: GraceTerms;
  readonly turns: Readonly<Record<'notices' | 'credits' | 'renewals', RoundRobin>>;
}

/** How much one round takes on. */
const roundSize = 50;

/**
 * One round of what time brings about: renewals, ends, and changes that somebody left behind. Replicas share it:
 * what one has taken, the others pass by. Answers how much it has done.
 */
export async function workOnSchedule(
  ports: SchedulePorts,
  logger: Logger,
  scope: ScheduleScope = everybody,
): Promise<number> {
  const told = await tellRenewals(ports, logger, scope);
  const given = await givePlanCredits(ports, logger, scope);
  return told + given + (await completeAbandoned(ports, logger, scope)) + (await renewDue(ports, logger, scope));
}

/** Credits of cycles that were paid for in advance; those of others come with the payment. */
async function givePlanCredits(ports: SchedulePorts, logger: Logger, scope: ScheduleScope): Promise<number> {
  const { subscriptions, clock, turns } = ports;
  let given = 0;
  const list = (after: string) => subscriptions.planCreditsDue(clock.now(), scope, roundSize, after);
  for (const organisationId of await dueInTurn(turns.credits, scope, roundSize, list, String)) {
    try {
      if (await subscriptions.givePlanCredits(systemActor(organisationId, newId()), clock.now())) given += 1;
    } catch (error) {
      logger.warn(
        { event: 'subscription.credits_not_given', err: error, organisationId },
        'the credits of a plan could not be given now, trying again',
      );
    }
  }
  return given;
}

/** That it is told commits with the event and the mail about it: once for each renewal. */
async function tellRenewals(ports: SchedulePorts, logger: Logger, scope: ScheduleScope): Promise<number> {
  const { subscriptions, clock, turns } = ports;
  let told = 0;
  const list = (after: string) => subscriptions.renewingSoon(clock.now(), scope, roundSize, after);
  for (const organisationId of await dueInTurn(turns.notices, scope, roundSize, list, String)) {
    try {
      const at = clock.now();
      const totalsOfRenewal = await renewalTotals(ports, organisationId, at);
      const by = systemActor(organisationId, newId());
      const isTold = await subscriptions.tellRenewal(by, at, (current, renewsAt) =>
        periodEnding(current, renewsAt, totalsOfRenewal(current), at),
      );
      if (isTold) told += 1;
    } catch (error) {
      logger.warn(
        { event: 'subscription.renewal_not_told', err: error, organisationId },
        'a renewal could not be announced now, trying again',
      );
    }
  }
  return told;
}

async function completeAbandoned(ports: SchedulePorts, logger: Logger, scope: ScheduleScope): Promise<number> {
  const { subscriptions, clock, leaseMs } = ports;
  let finished = 0;
  for (const open of await subscriptions.abandoned(clock.now(), scope, roundSize)) {
    const { organisationId, changeId } = open;
    const taken = async () => {
      const now = clock.now();
      return subscriptions.takeOver(open, now, new Date(now.getTime() + leaseMs));
    };
    if (await runOne(ports, taken, logger, { organisationId, changeId })) finished += 1;
  }
  return finished;
}

async function renewDue(ports: SchedulePorts, logger: Logger, scope: ScheduleScope): Promise<number> {
  const { subscriptions, grace, clock, turns } = ports;
  let finished = 0;
  const list = (after: string) => subscriptions.due(clock.now(), scope, roundSize, after);
  for (const organisationId of await dueInTurn(turns.renewals, scope, roundSize, list, String)) {
    const begun = async () => {
      const at = clock.now();
      const by = systemActor(organisationId, newId());
      const renew: DecideChange = (current, today, unpaid) =>
        current && renewOnSchedule(current, today, grace, at, unpaid);
      return subscriptions.beginUnlessBusy(
        by,
        await planChange(ports, by, { decidedAt: at, startedAt: at }, renew, { ifBelowMinimum: 'waive' }),
      );
    };
    if (await runOne(ports, begun, logger, { organisationId })) finished += 1;
  }
  return finished;
}

/** One that fails, wherever, is tried again in a later round and must not keep the others waiting. */
async function runOne(
  ports: SchedulePorts,
  begin: () => Promise<SubscriptionChange | null>,
  logger: Logger,
  whose: { readonly organisationId: string; readonly changeId?: string },
): Promise<boolean> {
  try {
    const change = await begin();
    if (!change) return false;
    warnOfMissedCycles(change, logger);
    return (await runChange(ports, change)).state === 'done';
  } catch (error) {
    logger.warn(
      { event: 'subscription_change.failed', err: error, ...whose },
      'a subscription change could not go on now, trying again',
    );
    return false;
  }
}

/** A person should know why: nobody has looked for longer than a cycle, or the clock is wrong. */
function warnOfMissedCycles({ id, organisationId, kind, before, ifPaid }: SubscriptionChange, logger: Logger): void {
  if (kind !== 'renewed' || !before || ifPaid.period.start <= before.period.end) return;
  logger.error(
    {
      event: 'subscription.cycles_missed',
      organisationId,
      changeId: id,
      from: before.period.end,
      to: ifPaid.period.start,
    },
    'whole cycles of a subscription were missed and are not charged',
  );
}
