import type { CreditClass } from '../credits/reservation.ts';
import { dayOf, daysAfter, startOfDay } from '../days.ts';

/** The usage policy of a client group, as identity keeps it. */
export interface ClientPolicy {
  readonly periodDays: number;
  /** Micros; null: no limit. */
  readonly aiCreditLimit: bigint | null;
  readonly infrastructureCreditLimit: bigint | null;
  readonly requestLimit: bigint | null;
  /** Refuse at a limit, or only warn. */
  readonly hardStop: boolean;
}

/** The group that usage counts for, with its policy if it has one. */
export interface PolicyOfGroup {
  readonly clientGroupId: string;
  readonly policy: ClientPolicy | null;
  /** UTC day from which periods are counted. */
  readonly countedFrom: string;
}

/** A stretch of whole UTC days; `endsOn` is the first day after it. */
export interface PolicyPeriod {
  readonly startsOn: string;
  readonly endsOn: string;
}

/** Without a policy usage is still counted, in stretches of this many days. */
const daysWithoutPolicy = 30;

/** The period a moment lies in. */
export function periodAt({ policy, countedFrom }: PolicyOfGroup, at: Date): PolicyPeriod {
  const days = policy?.periodDays ?? daysWithoutPolicy;
  const first = startOfDay(countedFrom);
  const passed = Math.floor((startOfDay(dayOf(at)).getTime() - first.getTime()) / 86_400_000);
  const start = daysAfter(first, Math.floor(passed / days) * days);
  return { startsOn: dayOf(start), endsOn: dayOf(daysAfter(start, days)) };
}

/** How much of one class of credits a group may have spent and set aside from a day on. */
export interface GroupCreditLimit {
  /** Micros. */
  readonly amount: bigint;
  /** The first day of the running period. */
  readonly since: string;
}

/** What reservations of a group are held to; null: nothing, for a limit without a hard stop only warns. */
export function groupCreditLimit(group: PolicyOfGroup, creditClass: CreditClass, at: Date): GroupCreditLimit | null {
  if (!group.policy?.hardStop) return null;
  const { aiCreditLimit, infrastructureCreditLimit } = group.policy;
  const amount = creditClass === 'AI' ? aiCreditLimit : infrastructureCreditLimit;
  return amount === null ? null : { amount, since: periodAt(group, at).startsOn };
}
