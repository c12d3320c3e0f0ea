import { microsPerCredit } from '../../credits/domain/credits.ts';
import { daysAfter } from '../../credits/domain/days-after.ts';
import type { CreditClass } from '../../credits/domain/reservation.ts';
import { dayOf, startOfDay } from './days.ts';

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

/** A policy as identity tells it: limits are whole numbers as text, those of credits in whole credits. */
export interface PolicyPayload {
  readonly periodDays: number;
  readonly aiCreditLimit: string | null;
  readonly infrastructureCreditLimit: string | null;
  readonly requestLimit: string | null;
  readonly hardStop: boolean;
}

export function clientPolicyOf({ periodDays, hardStop, ...limits }: PolicyPayload): ClientPolicy {
  const { aiCreditLimit, infrastructureCreditLimit, requestLimit } = limits;
  const micros = (credits: string | null) => (credits === null ? null : BigInt(credits) * microsPerCredit);
  return {
    periodDays,
    aiCreditLimit: micros(aiCreditLimit),
    infrastructureCreditLimit: micros(infrastructureCreditLimit),
    requestLimit: requestLimit === null ? null : BigInt(requestLimit),
    hardStop,
  };
}

/** The group that usage counts for, with its policy if it has one. */
export interface PolicyOfGroup {
  readonly clientGroupId: string;
  readonly policy: ClientPolicy | null;
  /** UTC day from which periods are counted. */
  readonly countedFrom: string;
}

/** A policy as identity says, or as it said in an event. */
export interface VersionedPolicy extends PolicyOfGroup {
  /** Grows with every change of the group: what is older than what is known says nothing new. */
  readonly version: bigint;
  /** Whether the group counts for whoever names none. */
  readonly isDefault: boolean;
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

/** Client policies as they were last heard of. */
export interface ClientPolicies {
  /** That of a group, or of the default one. Null: nothing was ever heard of it. */
  get(organisationId: string, clientGroupId: string | null): Promise<PolicyOfGroup | null>;
  /** Writes down what identity has answered; what is older than what is known changes nothing. */
  learn(organisationId: string, policy: VersionedPolicy, heardAt: Date): Promise<void>;
}
