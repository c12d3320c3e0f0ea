import type { Database } from '@platform-backend/postgres';
import type { ProviderEvents } from '../domain/provider-event.ts';

interface EventRow {
  organisation_id: string;
  id: string;
  type: string;
  reported_at: Date;
  handled_at: Date;
}

interface PaymentRow {
  organisation_id: string;
  reference: string;
  status: 'declined' | 'succeeded';
}

/** What providers have reported, in PostgreSQL. */
export const providerEventsStore = (database: Database): ProviderEvents => ({
  known: (organisationId, { id, payment }) =>
    database.tenant(organisationId, async (trx) => {
      const handled = await trx<EventRow>('provider_events').where({ organisation_id: organisationId, id }).first('id');
      const reference = payment?.processorReference ?? '';
      const known = await trx<PaymentRow>('provider_payments')
        .where({ organisation_id: organisationId, reference })
        .first('status');
      return { handled: handled !== undefined, payment: known?.status ?? null };
    }),

  remember: (organisationId, { id, type, at: reportedAt, payment }, at) =>
    database.tenant(organisationId, async (trx) => {
      await trx<EventRow>('provider_events')
        .insert({ organisation_id: organisationId, id, type, reported_at: reportedAt, handled_at: at })
        .onConflict()
        .ignore();
      if (!payment) return;
      // What is paid stays paid, also when two reports arrive at the same moment.
      await trx.raw(
        `INSERT INTO provider_payments (organisation_id, reference, status) VALUES (?, ?, ?)
         ON CONFLICT (organisation_id, reference) DO UPDATE SET status = excluded.status
         WHERE provider_payments.status = 'declined'`,
        [organisationId, payment.processorReference, payment.status],
      );
    }),
});
