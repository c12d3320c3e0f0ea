import { newId, type ActorContext } from '@platform-backend/core';
import type { Area } from '@platform-backend/service';
import { systemActor } from '../events.ts';
import type { InvoicesExports } from '../invoices/area.ts';
import type { PaymentsExports } from '../payments/area.ts';
import type { Payment } from '../payments/domain/payment.ts';
import type { ReportedDispute } from '../payments/domain/provider-event.ts';
import type { BillingContext, service } from '../service.ts';
import type { OrganisationTime } from '../test-clocks/domain/organisation-time.ts';
import { untilFirstDue, type ScheduleScope } from '../test-clocks/domain/schedule-scope.ts';
import { refundHandlers } from './api/refund-handlers.ts';
import { lookAfterRefunds, refundReported } from './app/execute-refund.ts';
import { refundUseCases } from './app/refunds.ts';
import type { ShownCreditNote } from './domain/refunds.ts';
import { takenAtOnce } from './store/bought-credits.ts';
import { refundsStore } from './store/refunds-store.ts';

interface RefundsNeeds {
  readonly invoices: InvoicesExports;
  readonly payments: PaymentsExports;
  readonly time: OrganisationTime;
}

/** Refunds: money that is given back, credit notes about it, and disputes at banks. */
export const refundsArea = (context: BillingContext, { invoices, payments, time }: RefundsNeeds) => {
  const { settings, storage, clock, logger } = context;
  const ports = {
    ...payments,
    refunds: refundsStore(storage.database),
    leaseMs: settings.BILLING_CHANGE_LEASE_SECONDS * 1000,
    clock,
    logger,
    newId,
  };
  const useCases = refundUseCases(ports);
  const creditNotePdf = async (organisationId: string, requestId: string, note: ShownCreditNote): Promise<Buffer> => {
    const invoice = await invoices.getInvoice(organisationId, requestId, note.invoiceId);
    const { number, lines, subtotalMinor, taxMinor, totalMinor, createdAt } = note;
    const taken = { number, lines, subtotalMinor, taxMinor, totalMinor, createdAt, takesBack: invoice.number };
    return invoices.invoiceDocument({ ...invoice, ...taken });
  };
  const onSchedule = (scope: ScheduleScope) => lookAfterRefunds(ports, scope);
  const everyMs = settings.BILLING_SCHEDULE_SECONDS * 1000;
  return {
    handlers: { RefundService: refundHandlers(useCases, creditNotePdf) },
    jobs: [
      {
        name: 'the looking after refunds',
        everyMs,
        run: () => time.forRealTime(onSchedule),
        untilDueMs: untilFirstDue({ forRealTime: time.forRealTime, clock }, ports.refunds.firstDueAt),
      },
    ],
    exports: {
      /** What it takes to look after refunds. */
      ports,
      onSchedule,
      nextDueAt: (organisationId: string) => ports.refunds.nextDueAt(organisationId),
      givenBack: (organisationId: string, ids: readonly string[]) => ports.refunds.givenBack(organisationId, ids),
      /** Gives all of a payment back for which nothing was given. Repeating it is safe. */
      refundSurplus: async (payment: Payment): Promise<void> => {
        await ports.refunds.beginSurplus(
          systemActor(payment.organisationId, payment.id),
          payment,
          newId(),
          clock.now(),
        );
      },
      takenAtOnce,
      isSurplus: (payment: Payment) => ports.refunds.isSurplus(payment),
      refundReported: (organisationId: string, id: string) => refundReported(ports, organisationId, id),
      disputeReported: (payment: Payment, report: ReportedDispute, requestId: string) => {
        const by: ActorContext = systemActor(payment.organisationId, requestId);
        return useCases.disputeReported(by, payment, report);
      },
    },
  } satisfies Area<typeof service.declaration>;
};
