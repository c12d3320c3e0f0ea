import type { CreditServiceClient } from '@platform-backend/contract-billing';
import type { CallOptions } from '@platform-backend/grpc';
import type { Area } from '@platform-backend/service';
import type { ContentContext, service } from '../service.ts';
import { billingCredits } from './clients/billing-credits.ts';
import { debitsStore } from './store/debits-store.ts';

export type CreditsExports = ReturnType<typeof creditsArea>['exports'];

/** Credits: what work may cost is set aside in billing before it begins, and what it has cost is told with its end. */
export const creditsArea = ({ client, storage }: ContentContext) => {
  const billing = client<CreditServiceClient<CallOptions>>('platform.billing.v1.CreditService');
  return {
    exports: {
      /** What is spent for one purpose, which the ledger shows. */
      creditsFor: (purpose: string) => billingCredits(billing, purpose),
      recordDebit: debitsStore(storage.database),
    },
  } satisfies Area<typeof service.declaration>;
};
