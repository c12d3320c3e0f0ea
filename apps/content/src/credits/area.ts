import type { CreditServiceClient } from '@platform-backend/contract-billing';
import type { CallOptions } from '@platform-backend/grpc';
import type { Area } from '@platform-backend/service';
import type { ContentContext, service } from '../service.ts';
import { billingCredits } from './clients/billing-credits.ts';
import type { Credits, WithCredits } from './domain/credits.ts';
import { debitsStore } from './store/debits-store.ts';

export type CreditsExports = ReturnType<typeof creditsArea>['exports'];

/** Credits: what work may cost is set aside in billing before it begins, and what it has cost is told with its end. */
export const creditsArea = ({ client, storage, settings }: ContentContext) => {
  const billing = client<CreditServiceClient<CallOptions>>('platform.billing.v1.CreditService');
  const microsPer1000Tokens = BigInt(settings.LLM_MICROS_PER_1000_TOKENS);
  return {
    exports: {
      /** What is spent for one purpose, which the ledger shows. */
      creditsFor: (purpose: string) => billingCredits(billing, purpose) satisfies Credits,
      /** Searches cost nothing: those for 1,000 tokens are set aside while one goes on, and where billing is away none are. */
      withCreditsForSearch: billingCredits(billing, 'search').withCredits(microsPer1000Tokens, {
        goesOnWithout: true,
      }) satisfies WithCredits,
      recordDebit: debitsStore(storage.database),
    },
  } satisfies Area<typeof service.declaration>;
};
