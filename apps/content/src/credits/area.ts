import type { Area } from '@platform-backend/service';
import type { ContentContext, service } from '../service.ts';
import { billingCredits, type CreditsClient } from './clients/billing-credits.ts';

export type CreditsExports = ReturnType<typeof creditsArea>['exports'];

/** Credits: what work will cost is set aside in billing before it begins. */
export const creditsArea = ({ client }: ContentContext) =>
  ({
    exports: { credits: billingCredits(client<CreditsClient>('platform.billing.v1.CreditService')) },
  }) satisfies Area<typeof service.declaration>;
