import type { CreditServiceClient } from '@platform-backend/contract-billing';
import type { CallOptions } from '@platform-backend/grpc';
import type { Area } from '@platform-backend/service';
import type { PipelinesContext, service } from '../service.ts';
import { billingCredits } from './clients/billing-credits.ts';
import type { Credits, WithCredits } from './domain/credits.ts';

export type CreditsExports = ReturnType<typeof creditsArea>['exports'];

/** Credits: billing is asked for them before anything runs on the platform's machines, and told what it has cost. */
export const creditsArea = ({ client, settings }: PipelinesContext) => {
  const billing = client<CreditServiceClient<CallOptions>>('platform.billing.v1.CreditService');
  const microsPerStepSecond = BigInt(settings.PIPELINES_MICROS_PER_STEP_SECOND);
  const credits: Credits = billingCredits(billing, 'pipeline_run');
  return {
    exports: {
      microsPerStepSecond,
      /** Of runs. */
      credits,
      /** For one purpose, which the ledger shows. */
      withCreditsFor: (purpose: string): WithCredits =>
        billingCredits(billing, purpose).withCredits(microsPerStepSecond),
    },
  } satisfies Area<typeof service.declaration>;
};
