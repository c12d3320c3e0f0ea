import type { ClientGroup, Usage } from './client-group.ts';

const dayMs = 86_400_000;
/** Without a policy usage is still counted, in stretches of this many days. */
const daysWithoutPolicy = 30;

/**
 * What the group has used in the period that is running. Billing reports what has grown, so after the end of a period
 * nothing comes before there is new usage: from then on the figures reported last are those of a period gone by.
 */
export function runningUsage(group: Pick<ClientGroup, 'usage' | 'policy' | 'createdAt'>, at: Date): Usage {
  const { period_ends_at: end } = group.usage;
  const isOver = typeof end === 'string' && Date.parse(end) <= at.getTime();
  if (!isOver) return group.usage;
  const nothing = Object.entries(group.usage).map(([name, value]) => [name, typeof value === 'number' ? 0 : value]);
  return { ...(Object.fromEntries(nothing) as Usage), ...runningPeriod(group, at) };
}

/** Periods are stretches of whole UTC days, counted from the day the group was made, as billing counts them. */
function runningPeriod({ policy, createdAt }: Pick<ClientGroup, 'policy' | 'createdAt'>, at: Date) {
  const length = (policy?.periodDays ?? daysWithoutPolicy) * dayMs;
  const first = startOfDay(createdAt);
  const started = first + Math.floor((at.getTime() - first) / length) * length;
  return {
    period_started_at: new Date(started).toISOString(),
    period_ends_at: new Date(started + length).toISOString(),
  };
}

const startOfDay = (date: Date): number => Math.floor(date.getTime() / dayMs) * dayMs;
