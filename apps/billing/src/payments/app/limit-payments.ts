import { asPreparation, type ActorContext, type Clock } from '@platform-backend/core';
import { paymentsLimited } from '../domain/errors.ts';
import {
  paymentsLimitedEvent,
  type PaymentCount,
  type PaymentCounts,
  type PaymentLimit,
  type PaymentLimits,
} from '../domain/payment-limits.ts';

export interface LimitPorts {
  readonly counts: PaymentCounts;
  readonly limits: PaymentLimits;
  readonly clock: Clock;
}

/** Counts one more attempt of what is limited. RATE_LIMITED: there are too many; the audit log says so. */
export async function countWithinLimit(
  ports: LimitPorts,
  by: ActorContext,
  name: 'setup_intents' | 'purchases' | 'refunds',
): Promise<void> {
  const limit = ports.limits[name];
  const counted = await asPreparation(() => ports.counts.add(by.organisationId, limit, ports.clock.now()));
  if (counted.count > limit.max) throw await limited(ports, by, limit, counted);
}

/** Counts nothing. RATE_LIMITED: there are as many as there may be; the audit log says so. */
export async function requireWithinLimit(ports: LimitPorts, by: ActorContext, name: 'refunds'): Promise<void> {
  const limit = ports.limits[name];
  const counted = await ports.counts.get(by.organisationId, limit, ports.clock.now());
  if (counted.count >= limit.max) throw await limited(ports, by, limit, counted);
}

async function limited(ports: LimitPorts, by: ActorContext, limit: PaymentLimit, counted: PaymentCount) {
  await refuse(ports, by, limit, counted);
  const leftMs = counted.endsAt.getTime() - ports.clock.now().getTime();
  return paymentsLimited({ retryAfterSeconds: Math.ceil(leftMs / 1000) });
}

/** Whether so many payments of the organisation, or with the card, were declined that no further one is tried. */
export async function hasTooManyDeclines(ports: LimitPorts, by: ActorContext, card: string): Promise<boolean> {
  const { declines, declines_of_card: ofCard } = ports.limits;
  const at = ports.clock.now();
  for (const [whose, limit] of [
    [by.organisationId, declines],
    [card, ofCard],
  ] as const) {
    const counted = await ports.counts.get(whose, limit, at);
    if (counted.count < limit.max) continue;
    await refuse(ports, by, limit, counted);
    return true;
  }
  return false;
}

export async function countDecline(ports: LimitPorts, organisationId: string, card: string): Promise<void> {
  const { declines, declines_of_card: ofCard } = ports.limits;
  const at = ports.clock.now();
  await ports.counts.add(organisationId, declines, at);
  await ports.counts.add(card, ofCard, at);
}

const refuse = ({ counts, clock }: LimitPorts, by: ActorContext, limit: PaymentLimit, { endsAt }: PaymentCount) =>
  counts.recordRefusal(by, paymentsLimitedEvent(by.organisationId, limit, endsAt, clock.now()));
