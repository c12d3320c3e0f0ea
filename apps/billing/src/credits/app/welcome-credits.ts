import { unchanged, type ActorContext } from '@platform-backend/core';
import { billingItself } from '../../events.ts';
import type { PriceBook } from '../../prices/domain/price-book.ts';
import { grantCredits } from '../domain/credit-account.ts';
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
  { credits, priceBook, clock, newId }: WelcomePorts,
  { organisationId, requestId }: ActorContext,
): Promise<void> {
  const at = clock.now();
  const by = billingItself(organisationId, requestId);
  const { welcomeCredits, welcomeCreditsExpireAfterDays } = priceBook;
  if (welcomeCredits === 0) {
    await credits.update(by, at, unchanged);
    return;
  }
  const grant = {
    id: newId(),
    transactionId: newId(),
    source,
    kind: 'WELCOME' as const,
    amount: creditsToMicros(welcomeCredits),
    priority,
    expiresAt: daysAfter(at, welcomeCreditsExpireAfterDays),
  };
  await credits.grant(by, source, at, (holdings) => grantCredits(holdings, grant, at));
}
