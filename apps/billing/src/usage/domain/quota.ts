import type { CreditClass } from '../../credits/domain/reservation.ts';
import type { BillingEvent } from '../../events.ts';
import type { ClientPolicy, PolicyPeriod } from './client-policy.ts';
import { startOfDay } from './days.ts';

/** What a group has used in its running period. */
export interface PeriodUsage {
  readonly requests: bigint;
  readonly aiCredits: bigint;
  readonly infrastructureCredits: bigint;
}

export type QuotaState = 'OPEN' | 'WARNING' | 'OUT_OF_CREDITS' | 'OUT_OF_REQUESTS';

/** Requests handed out, and what to tell whoever makes them. */
export interface QuotaGrant {
  readonly granted: number;
  readonly state: QuotaState;
  /** Public text about the limit that is near or reached; empty while open. */
  readonly message: string;
  readonly requestLimit: bigint | null;
  readonly requestsRemaining: bigint | null;
  /** Credits of which a hard limit is reached; none unless the state is OUT_OF_CREDITS. */
  readonly exhausted: readonly CreditClass[];
}

/** One limit of a policy and what is used of it. */
interface Limit {
  readonly name: LimitName;
  readonly shown: string;
  readonly limit: bigint;
  readonly used: bigint;
}

export type LimitName = 'requests' | 'ai_credits' | 'infrastructure_credits';

const limitsOf = (policy: ClientPolicy, usage: PeriodUsage): Limit[] => {
  const all: { name: LimitName; shown: string; limit: bigint | null; used: bigint }[] = [
    { name: 'ai_credits', shown: 'AI credits', limit: policy.aiCreditLimit, used: usage.aiCredits },
    {
      name: 'infrastructure_credits',
      shown: 'infrastructure credits',
      limit: policy.infrastructureCreditLimit,
      used: usage.infrastructureCredits,
    },
    { name: 'requests', shown: 'requests', limit: policy.requestLimit, used: usage.requests },
  ];
  return all.flatMap(({ limit, ...rest }) => (limit === null ? [] : [{ ...rest, limit }]));
};

/**
 * Decides how many requests are handed out. With a hard stop never more than are left. Near any limit ever smaller parts
 * of what is left, so that several gateways can share the last ones, and the warning comes in time. A limit of credits stops no request: it is said
 * which credits are gone, and whoever lets requests through refuses those that would spend them.
 */
export function grantQuota(policy: ClientPolicy | null, usage: PeriodUsage, requested: number): QuotaGrant {
  if (!policy) return { ...open, granted: requested, requestLimit: null, requestsRemaining: null };
  const { requestLimit, hardStop } = policy;
  const left = requestLimit === null ? null : larger(requestLimit - usage.requests, 0n);
  const reached = hardStop ? limitsOf(policy, usage).filter(({ limit, used }) => used >= limit) : [];
  if (reached.some(({ name }) => name === 'requests')) {
    const message = 'The limit of requests is reached';
    return { ...open, granted: 0, state: 'OUT_OF_REQUESTS', message, requestLimit, requestsRemaining: left };
  }
  const part = left === null ? requested : left > 0n ? Number((left + 3n) / 4n) : hardStop ? 0 : minBatch;
  const granted = Math.min(requested, part);
  const requestsRemaining = left === null ? null : larger(left - BigInt(granted), 0n);
  return { ...standing(policy, usage, reached), granted, requestLimit, requestsRemaining };
}

/** Beyond a soft limit batches stay small, for a raised limit to be known soon. */
const minBatch = 10;

const open = { state: 'OPEN', message: '', exhausted: [] } as const;

/** What to tell of a policy of which requests are left. */
function standing(
  policy: ClientPolicy,
  usage: PeriodUsage,
  reached: readonly Limit[],
): Pick<QuotaGrant, 'state' | 'message' | 'exhausted'> {
  if (reached.length > 0) {
    const message = `The limit of ${reached.map(({ shown }) => shown).join(' and ')} is reached`;
    const exhausted = reached.flatMap(({ name }) => (name === 'requests' ? [] : [classes[name]]));
    return { state: 'OUT_OF_CREDITS', message, exhausted };
  }
  const near = limitsOf(policy, usage)
    .toSorted(fullestFirst)
    .find(({ limit, used }) => used * 5n >= limit * 4n);
  if (!near) return open;
  const message =
    near.used >= near.limit
      ? `The limit of ${near.shown} is reached`
      : `${percentOf(near)} % of the limit of ${near.shown} are used`;
  return { ...open, state: 'WARNING', message };
}

const classes = { ai_credits: 'AI', infrastructure_credits: 'INFRASTRUCTURE' } as const;

/** The highest percentage of each limit that members were told of in the running period. */
export type NotifiedThresholds = Readonly<Record<LimitName, number>>;

export const nothingNotified: NotifiedThresholds = { requests: 0, ai_credits: 0, infrastructure_credits: 0 };

const thresholds = [50, 80, 100] as const;

type ThresholdReached = BillingEvent<'usage.threshold_reached'>;

/** The alerts that are due: one for every threshold passed since the last time, each of them told once a period. */
export function dueAlerts(
  group: { readonly clientGroupId: string; readonly policy: ClientPolicy | null; readonly period: PolicyPeriod },
  usage: PeriodUsage,
  told: NotifiedThresholds,
  at: Date,
): { readonly events: readonly ThresholdReached[]; readonly told: NotifiedThresholds } {
  const events: ThresholdReached[] = [];
  const next: Record<LimitName, number> = { ...told };
  for (const limit of group.policy ? limitsOf(group.policy, usage) : []) {
    for (const percent of thresholds) {
      if (percent <= told[limit.name] || limit.used * 100n < limit.limit * BigInt(percent)) continue;
      next[limit.name] = percent;
      events.push({
        name: 'usage.threshold_reached',
        subject: group.clientGroupId,
        at,
        data: {
          client_group_id: group.clientGroupId,
          limit_name: limit.name,
          percent,
          limit: String(limit.limit),
          used: String(limit.used),
          period_ends_at: startOfDay(group.period.endsOn).toISOString(),
        },
      });
    }
  }
  return { events, told: next };
}

const fullestFirst = (one: Limit, other: Limit): number => Number(percentOf(other) - percentOf(one));

/** Whole percents, rounded down. */
const percentOf = ({ limit, used }: Limit): bigint => (limit === 0n ? 100n : (used * 100n) / limit);

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other);
