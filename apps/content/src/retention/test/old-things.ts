import { newId } from '@platform-backend/core';
import type { Database } from '@platform-backend/mongo';
import type { member } from '@platform-backend/service/testing';
import { actingAs, conversationsOf } from '../../../test/conversation-under-test.ts';
import { documentClient } from '../../../test/document-client.ts';
import type { TestContent } from '../../../test/test-content.ts';
import { finishTranscription, transcriptionOf } from '../../transcription/domain/transcription.ts';
import { transcriptionsStore } from '../../transcription/store/transcriptions-store.ts';

type By = ReturnType<typeof member>;

const DAY_MS = 24 * 60 * 60_000;

const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

/** Makes things in a service that were made and changed so many days ago. */
export function oldThings(content: TestContent) {
  const database = databaseOf(content);
  const backdate = async (collection: string, _id: string, days: number): Promise<void> => {
    const at = daysAgo(days);
    const dates = { createdAt: at, updatedAt: at, ...(collection === 'conversations' && { lastMessageAt: at }) };
    await database.unguarded.collection<{ _id: string }>(collection).updateOne({ _id }, { $set: dates });
  };
  return {
    backdate,

    async document(by: By, days: number, { name = 'old.txt', collection = '', text = '' } = {}): Promise<string> {
      const id = newId();
      const { signedUrl } = await content.documents.uploadDocument({ id, name, collection }, by);
      const documents = documentClient(content);
      if (text !== '') {
        await documents.put(signedUrl, text);
        await documents.until(id, 'READY', by);
      }
      await backdate('documents', `${by.caller.organisationId ?? ''}:${id}`, days);
      return id;
    },

    async conversation(by: By, days: number): Promise<string> {
      const { conversationId } = await conversationsOf(content).ask(actingAs(by), 'How long is that kept?');
      await backdate('conversations', conversationId, days);
      return conversationId;
    },

    async transcription(by: By, days: number): Promise<string> {
      const { userId = '' } = by.caller;
      const made = { id: newId(), filename: 'a.wav', engine: 'an engine', userId };
      const heard = { text: 'Said.', seconds: 1, segments: [] };
      const transcription = transcriptionOf(heard, made, daysAgo(days));
      await transcriptionsStore(database).update(actingAs(by), made.id, () => finishTranscription(transcription));
      return made.id;
    },
  };
}

function databaseOf({ frame }: TestContent): Database {
  if (!frame) throw new Error('the service runs elsewhere');
  return frame.storage.database;
}
