import { outgoingEvents } from '@platform-backend/events';
import { documentStore, type Database } from '@platform-backend/mongo';
import type { Transcription } from '../domain/transcription.ts';
import type { Transcriptions } from '../domain/transcriptions.ts';
import type { transcriptionCollections } from './transcription-collections.ts';

export function transcriptionsStore(database: Database): Transcriptions {
  const transcriptions = documentStore<Transcription, (typeof transcriptionCollections)['transcriptions']>({
    database,
    name: 'transcriptions',
    outgoing: outgoingEvents('content'),
  });
  return {
    find: transcriptions.find,
    async list(organisationId, { order, userId, ...page }) {
      const listing = { filter: userId === null ? {} : { userId }, order, without: ['segments'] };
      const found = await transcriptions.page(organisationId, page, listing);
      return { ...found, items: found.items.map((transcription) => ({ ...transcription, segments: [] })) };
    },
    olderThan(organisationId, { since, before }, request) {
      const by = since === 'CREATED' ? 'createdAt' : 'updatedAt';
      const listing = { filter: { [by]: { $lt: before } }, order: 'asc' as const, by, without: ['text', 'segments'] };
      return transcriptions.page(organisationId, request, listing);
    },
    update: transcriptions.update,
    removeAll: (organisationId) => transcriptions.removeAll(organisationId, {}),
  };
}
