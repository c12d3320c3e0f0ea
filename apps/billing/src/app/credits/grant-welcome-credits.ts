import { billingItself, type Acting } from '../../domain/acting.ts';
import { grantCredits } from '../../domain/credits/credit-account.ts';
import { creditsToMicros } from '../../domain/credits/credits.ts';
import { daysAfter } from '../../domain/days.ts';
import type { CreditParts } from './credit-parts.ts';

const source = 'welcome';
/** Spent before what was paid for. */
const priority = 10;

/** Opens the account of an organisation with the credits everybody gets once; repeating it is safe. */
export const grantWelcomeCredits =
  ({ credits, priceBook, clock, newId }: CreditParts) =>
  async ({ organisationId, requestId }: Acting): Promise<void> => {
    const at = clock.now();
    const by = billingItself(organisationId, requestId);
    const { welcomeCredits, welcomeCreditsExpireAfterDays } = priceBook;
    if (welcomeCredits === 0) {
      await credits.update(by, at, (holdings) => ({ state: holdings, events: [], result: holdings }));
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
  };
