import type { Database } from '@platform-backend/postgres';
import type { ProviderEvents } from '../domain/provider-event.ts';

interface EventRow {
  organisation_id: string;
  id: string;
  type: string;
  reported_at: Date;
  handled_at: Date;
}

/** What providers have reported, in PostgreSQL. */
export const providerEventsStore = (database: Database): ProviderEvents => ({
  isHandled: (organisationId, { id }) =>
    database.tenant(organisationId, async (trx) => {
      const handled = await trx<EventRow>('provider_events').where({ organisation_id: organisationId, id }).first('id');
      return handled !== undefined;
    }),

  remember: (organisationId, { id, type, at: reportedAt }, at) =>
    database.tenant(organisationId, async (trx) => {
      await trx<EventRow>('provider_events')
        .insert({ organisation_id: organisationId, id, type, reported_at: reportedAt, handled_at: at })
        .onConflict()
        .ignore();
    }),
});
