import type { AutomaticTopUpInput, TopUpServiceHandlers } from '@platform-backend/contract-billing';
import type { CallContext } from '@platform-backend/grpc';
import type { ShownTopUp, TopUpUseCases } from '../app/automatic-top-ups.ts';

export const topUpHandlers = (app: TopUpUseCases): TopUpServiceHandlers<CallContext> => ({
  getAutomaticTopUp: async (_request, context) => topUpMessage(await app.getAutomaticTopUp(context.organisationId())),

  setAutomaticTopUp: async ({ thresholdMicros, credits, monthlyCapMinor, currency }, context) =>
    topUpMessage(
      await app.setAutomaticTopUp(context.actorContext(), {
        ...{ threshold: BigInt(thresholdMicros), monthlyCapMinor: BigInt(monthlyCapMinor) },
        ...{ credits, currency },
      }),
    ),

  disableAutomaticTopUp: async (_request, context) =>
    topUpMessage(await app.disableAutomaticTopUp(context.actorContext())),
});

const topUpMessage = ({ topUp, spentMinor }: ShownTopUp): AutomaticTopUpInput => ({
  state: topUp?.state ?? 'OFF',
  thresholdMicros: topUp && String(topUp.threshold),
  credits: topUp?.credits ?? null,
  currency: topUp?.currency ?? null,
  monthlyCapMinor: topUp && String(topUp.monthlyCapMinor),
  spentThisMonthMinor: String(spentMinor),
  stoppedCode: topUp?.stoppedCode ?? null,
  changedAt: topUp?.changedAt ?? null,
  resumesAt: topUp?.resumesAt ?? null,
  purchaseId: topUp?.purchaseId ?? null,
});
