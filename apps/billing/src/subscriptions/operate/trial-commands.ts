import { WrongUsage } from '@platform-backend/command-line';
import { newId } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import {
  countOf,
  required,
  textOptions,
  withoutWords,
  wordsCommand,
  type OperatorGroup,
  type OperatorParts,
} from '../../operator-arguments.ts';
import { extendTrial, giveTrial } from '../domain/give-trial.ts';
import { maxTrialDays } from '../domain/parse-seat-prices.ts';
import type { PlanTerms } from '../domain/plan-terms.ts';
import type { Plan } from '../domain/plan.ts';
import type { PlannedChange } from '../domain/planned-change.ts';
import { startChange, type SubscriptionChange } from '../domain/subscription-change.ts';
import type { Subscription } from '../domain/subscription.ts';
import { trialOf, type TrialEnd } from '../domain/trial.ts';
import type { Trials } from '../domain/trials.ts';

export interface TrialCommandParts extends OperatorParts {
  readonly trials: Trials;
  /** What time it is for an organisation. */
  readonly timeOf: (organisationId: string) => Promise<Date>;
  /** On which seats are sold at a moment to who has told nothing of itself: nothing is paid by them. */
  readonly termsAt: (at: Date) => PlanTerms;
}

const options = textOptions('organisation', 'tier', 'seats', 'cycle', 'days', 'until', 'without-card');

/** `npm run -s billing -- trials list|give|extend`: trials that operators look after. */
export const trialCommands: OperatorGroup<TrialCommandParts> = {
  usage: `npm run -s billing -- trials list
npm run -s billing -- trials give --organisation ID --tier TEAM|BASIC --seats N --days N [--cycle MONTHLY|YEARLY]
                               [--without-card cancel|invoice]
npm run -s billing -- trials extend --organisation ID --until TIME`,
  help: `  trials list       those that run, the next that ends first
  trials give       begins one for an organisation without a subscription, also where it has had one. At its end without a card the
                    subscription is cancelled, or the first cycle gets an open invoice
  trials extend     the trial that runs ends at TIME (2027-01-31)`,
  command: wordsCommand<TrialCommandParts, typeof options>('trials', options, {
    list: withoutWords(async ({ trials, write }) => {
      for (const { organisationId, subscription } of await trials.running()) {
        const { plan, status, trial } = subscription;
        write({ organisationId, ...plan, status, ...trial });
      }
    }),
    give: withoutWords(async (parts, values) => {
      const organisationId = required('--organisation', values.organisation);
      const plan: Plan = {
        tier: oneOf('--tier', required('--tier', values.tier), ['TEAM', 'BASIC']),
        seatCount: atMost('--seats', countOf('--seats', required('--seats', values.seats)), 10_000),
        renewalCycle: oneOf('--cycle', values.cycle ?? 'MONTHLY', ['MONTHLY', 'YEARLY']),
      };
      const days = atMost('--days', countOf('--days', required('--days', values.days)), maxTrialDays);
      const end = ends[oneOf('--without-card', values['without-card'] ?? 'cancel', ['cancel', 'invoice'])];
      const at = await parts.timeOf(organisationId);
      const given = { newId: newId(), plan, trial: trialOf(days, end, at) };
      const today = parts.termsAt(at);
      await begin(parts, organisationId, at, (current) => giveTrial(current, given, today));
    }),
    extend: withoutWords(async (parts, values) => {
      const organisationId = required('--organisation', values.organisation);
      const until = required('--until', values.until);
      const at = await parts.timeOf(organisationId);
      const endsAt = new Date(until);
      const latest = new Date(at.getTime() + maxTrialDays * 86_400_000);
      if (!(endsAt > at && endsAt <= latest))
        throw new WrongUsage(`--until is a time to come within two years, such as 2027-01-31, and not "${until}".`);
      await begin(parts, organisationId, at, (current) => extendTrial(current, endsAt));
    }),
  }),
};

const ends: Readonly<Record<'cancel' | 'invoice', TrialEnd>> = { cancel: 'CANCEL', invoice: 'CREATE_INVOICE' };

function oneOf<Known extends string>(option: string, text: string, known: readonly Known[]): Known {
  const found = known.find((one) => one === text);
  if (found !== undefined) return found;
  throw new WrongUsage(`${option} is ${known.join(' or ')}, and not "${text}".`);
}

function atMost(option: string, count: number, max: number): number {
  if (count <= max) return count;
  throw new WrongUsage(`${option} is at most ${max}, and not ${count}.`);
}

/** Written down so that the schedule goes on with it at once. */
async function begin(
  { trials, termsAt, write }: TrialCommandParts,
  organisationId: string,
  at: Date,
  decide: (current: Subscription | null) => PlannedChange | null,
): Promise<void> {
  const by = systemActor(organisationId, newId());
  const { currency } = termsAt(at).prices;
  const { country } = termsAt(at).taxed;
  const begun = await trials.begin(by, (current, versionBefore) => {
    const plan = decide(current);
    if (!plan) return null;
    return startChange(plan, {
      ...{ id: newId(), organisationId, versionBefore, at, leaseMs: 0 },
      totals: { currency, country, taxed: null, subtotalMinor: 0n, taxMinor: 0n, totalMinor: 0n },
      payer: { isAbsent: true, paymentMethodId: null },
      ...{ startedBy: by.actor, requestId: by.requestId },
    });
  });
  if (begun) write(trialLine(begun));
}

const trialLine = ({ id, organisationId, kind, ifPaid: { plan, trial } }: SubscriptionChange) => ({
  ...{ changeId: id, organisationId, change: kind },
  ...plan,
  ...trial,
});
