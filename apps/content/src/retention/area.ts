import type { Area } from '@platform-backend/service';
import type { ConversationsExports } from '../conversations/area.ts';
import type { DocumentsExports } from '../documents/area.ts';
import type { ContentContext, service } from '../service.ts';
import type { TranscriptionExports } from '../transcription/area.ts';
import { retentionHandlers } from './api/retention-handlers.ts';
import { enforcePolicies } from './app/enforce-policies.ts';
import { retained } from './app/retained.ts';
import { retentionUseCases } from './app/retention.ts';
import { retentionPoliciesStore } from './store/retention-policies-store.ts';

interface RetentionNeeds {
  readonly documents: DocumentsExports;
  readonly conversations: ConversationsExports;
  readonly transcription: TranscriptionExports;
}

/** Retention: after how long what an organisation keeps is deleted by itself. */
export const retentionArea = (
  { storage, logger }: ContentContext,
  {
    documents: { storedDocuments: documents, imported },
    conversations: { conversations },
    transcription: { transcriptions },
  }: RetentionNeeds,
) => {
  const { database } = storage;
  const policies = retentionPoliciesStore(database);
  const shared = {
    policies,
    retained: retained({ documents, conversations, transcriptions }),
    now: () => database.now(),
  };
  const ports = { ...shared, wakeDocuments: imported.wake, logger };
  return {
    handlers: { RetentionService: retentionHandlers(retentionUseCases(shared)) },
    jobs: [
      {
        name: 'the deletion of what is not kept',
        everyMs: 2_000,
        run: (stopping) => enforcePolicies(ports, stopping),
        untilDueMs: async () => policies.untilDue(await database.now()),
      },
    ],
    exports: { removeAll: policies.removeAll },
  } satisfies Area<typeof service.declaration>;
};
