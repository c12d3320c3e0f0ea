import { asPreparation, newId, type ActorContext } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import type { PriceBook } from '../../prices/domain/price-book.ts';
import { grantCredits } from '../domain/credit-account.ts';
import type { SourcedGrant } from '../domain/credit-accounts.ts';
import { creditsToMicros } from '../domain/credits.ts';
import { daysAfter } from '../domain/days-after.ts';
import type { ExpiryPorts } from './sweep-credits.ts';

export interface WelcomePorts extends ExpiryPorts {
  readonly priceBook: PriceBook;
}

const source = 'welcome';
/** Spent before what was paid for. */
const priority = 10;

/** Opens the account of an organisation with the credits everybody gets once; repeating it is safe. */
export async function grantWelcomeCredits(
  { credits, priceBook, clock }: WelcomePorts,
  { organisationId, requestId }: ActorContext,
): Promise<void> {
  const at = clock.now();
  const by = systemActor(organisationId, requestId);
  await asPreparation(() => credits.open(by, at, welcomeGrant({ priceBook }, at)));
}

/** What everybody gets once; undefined where that is nothing. */
export function welcomeGrant({ priceBook }: Pick<WelcomePorts, 'priceBook'>, at: Date): SourcedGrant | undefined {
  const { welcomeCredits, welcomeCreditsExpireAfterDays } = priceBook;
  if (welcomeCredits === 0) return undefined;
  const grant = {
    id: newId(),
    transactionId: newId(),
    source,
    kind: 'WELCOME' as const,
    amount: creditsToMicros(welcomeCredits),
    priority,
    expiresAt: daysAfter(at, welcomeCreditsExpireAfterDays),
  };
  return { source, decide: (holdings) => grantCredits(holdings, grant, at) };
}
