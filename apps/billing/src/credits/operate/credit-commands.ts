import { WrongUsage } from '@platform-backend/command-line';
import { newId, type Clock } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import {
  required,
  textOptions,
  withoutWords,
  wordsCommand,
  type OperatorGroup,
  type OperatorParts,
} from '../../operator-arguments.ts';
import { adjustCredits, grantCredits } from '../domain/credit-account.ts';
import type { CreditAccounts } from '../domain/credit-accounts.ts';
import type { CreditGrant } from '../domain/credit-grant.ts';
import { creditsToMicros } from '../domain/credits.ts';

export interface CreditCommandParts extends OperatorParts {
  readonly credits: CreditAccounts;
  readonly clock: Clock;
}

/** Spent after what everybody gets and before what was bought. */
const usualPriority = 20;

/** As credits that were bought. */
const adjustmentPriority = 50;

const options = textOptions('organisation', 'credits', 'reason', 'expires', 'priority', 'key');

/** `npm run -s billing -- credits grant|adjust`: credits that an operator gives or takes away. */
export const creditCommands: OperatorGroup<CreditCommandParts> = {
  usage: `npm run -s billing -- credits grant --organisation ID --credits N --reason TEXT
                                [--expires TIME] [--priority N] [--key KEY]
npm run -s billing -- credits adjust --organisation ID --credits N|-N --reason TEXT [--key KEY]`,
  help: `  credits grant     gives credits as a present, until TIME (2027-01-31) or for ever; lower priorities are spent first (20 unless
                    said otherwise: before what was bought, which has 50), among equals what expires first
  credits adjust    a correction: adds credits, or with --credits=-N takes them away, of which there have to be as many. Of
                    both TEXT says why, in the ledger and in the audit log. With a KEY it is done once, however often it is asked for`,
  command: wordsCommand<CreditCommandParts, typeof options>('credits', options, {
    grant: withoutWords(async (parts, values) => {
      await give(parts, required('--organisation', values.organisation), {
        source: sourceOf(values.key),
        reason: required('--reason', values.reason),
        kind: 'PROMOTIONAL',
        credits: creditsOf(1, values.credits),
        priority: priorityOf(values.priority),
        expiresAt: expiryOf(values.expires, parts.clock.now()),
      });
    }),
    adjust: withoutWords(async (parts, values) => {
      const organisation = required('--organisation', values.organisation);
      const [source, reason] = [sourceOf(values.key), required('--reason', values.reason)];
      const credits = creditsOf(-Infinity, values.credits);
      if (credits < 0) await takeAway(parts, { organisation, reason, source, credits: -credits });
      else {
        const kind = 'ADJUSTMENT' as const;
        await give(parts, organisation, {
          ...{ source, reason, kind, credits, priority: adjustmentPriority, expiresAt: null },
        });
      }
    }),
  }),
};

const sourceOf = (key: string = newId()): string => `operator:${key}`;

function creditsOf(least: number, text = ''): number {
  const [whole] = /^-?[1-9]\d{0,7}$/.exec(text) ?? [];
  const credits = Number(whole ?? 0);
  if (credits !== 0 && credits >= least) return credits;
  throw new WrongUsage(`--credits is a whole number up to 99999999, and not "${text}".`);
}

function priorityOf(text: string | undefined): number {
  if (text === undefined) return usualPriority;
  if (/^\d{1,3}$/.test(text)) return Number(text);
  throw new WrongUsage(`--priority is a number from 0 to 999, and not "${text}".`);
}

function expiryOf(text: string | undefined, now: Date): Date | null {
  if (text === undefined) return null;
  const at = new Date(text);
  if (at > now) return at;
  throw new WrongUsage(`--expires is a time to come, such as 2099-01-31, and not "${text}".`);
}

type Gift = Pick<CreditGrant, 'expiresAt' | 'kind' | 'priority' | 'source'> & {
  readonly reason: string;
  readonly credits: number;
};

async function give({ credits: accounts, clock, write }: CreditCommandParts, organisation: string, gift: Gift) {
  const at = clock.now();
  const by = systemActor(organisation, newId());
  const { credits, ...rest } = gift;
  const wanted = { ...rest, id: newId(), transactionId: newId(), amount: creditsToMicros(credits) };
  const grant = await accounts.grant(by, gift.source, at, (holdings) => grantCredits(holdings, wanted, at));
  const isNew = grant.id === wanted.id;
  write({ ...grant, amount: grant.amount.toString(), remaining: grant.remaining.toString(), isNew });
}

async function takeAway(
  { credits: accounts, clock, write }: CreditCommandParts,
  asked: { readonly organisation: string; readonly reason: string; readonly source: string; readonly credits: number },
): Promise<void> {
  const at = clock.now();
  const by = systemActor(asked.organisation, newId());
  const adjustment = { transactionId: newId(), amount: creditsToMicros(asked.credits), reason: asked.reason };
  const { account } = await accounts.adjust(by, asked.source, at, (holdings) =>
    adjustCredits(holdings, asked.organisation, adjustment, at),
  );
  write({ organisationId: asked.organisation, availableMicros: account.available.toString() });
}
