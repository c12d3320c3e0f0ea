/** What there is to be read: documents that the service has read, and so many messages like those of one of its turns. */
import {
  type AssistantServiceClient,
  type DocumentServiceClient,
  type FileServiceClient,
} from '@platform-backend/contract-content';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { driver } from '@platform-backend/mongo/testing';
import { member, type Callers } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';

const DOCUMENTS = 100;
/** Of each, about 20 KB. */
const TEXT = 'Herons stand in shallow water for hours and wait until a fish comes close. '.repeat(270);
const BATCH = 5_000;

export const anybody = { caller: { kind: 'anonymous', service: 'gateway', scopes: [] } } as const;

export const ticketIn = (url: string): string => new URL(url).pathname.split('/')[2] ?? '';

/** Documents that are ready, by their ids. */
export async function makeDocuments({ to }: Callers, organisationId: string): Promise<readonly string[]> {
  const documents = to<DocumentServiceClient<CallOptions>>('DocumentService');
  const files = to<FileServiceClient<CallOptions>>('FileService');
  const by = member(organisationId);
  const ids: string[] = [];
  for (let made = 0; made < DOCUMENTS; made += 1) {
    const { documentId, signedUrl } = await documents.uploadDocument({ id: newId(), name: 'herons.txt' }, by);
    const body = async function* () {
      yield await Promise.resolve({ ticket: ticketIn(signedUrl), contentType: 'text/plain', chunk: Buffer.from(TEXT) });
    };
    await files.uploadFile(body(), anybody);
    ids.push(documentId);
  }
  const areReady = async () =>
    (await documents.listDocuments({ status: ['READY'], limit: 200 }, by)).documents.length === DOCUMENTS;
  await waitFor(areReady, { what: 'the documents', timeout: 300_000 });
  return ids;
}

type Stored = { readonly _id: string; readonly senderType: string };

/** Adds messages that are stored as those of a turn are, a second apart; answers when the first and the last one was said. */
export async function makeMessages(
  { to }: Callers,
  url: string,
  { organisationId, count }: { organisationId: string; count: number },
): Promise<{ first: number; last: number }> {
  const assistants = to<AssistantServiceClient<CallOptions>>('AssistantService');
  const newMessage = 'What do herons do all day, and why does it take them so long to find something to eat?';
  await assistants.submitToAssistant({ assistantName: 'general', newMessage }, member(organisationId));
  await using client = await driver.MongoClient.connect(url);
  const messages = client.db().collection<Stored>('messages');
  const examples = (await messages.find({ organisationId }).toArray()).map(
    // Nothing is to be told of the copies, neither to searches nor by events.
    ({ searchDueAt: _due, pendingEvents: _events, ...message }: Stored & Record<string, unknown>) => message,
  );
  const last = Date.now() - 60_000;
  const first = last - count * 1000;
  let conversationId = newId();
  for (let from = 0; from < count; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => {
      if ((from + at) % 20 === 0) conversationId = newId();
      const createdAt = new Date(first + (from + at) * 1000);
      const example = examples[at % examples.length];
      return { ...example, _id: newId(), conversationId, createdAt, finishedAt: createdAt } as unknown as Stored;
    });
    await messages.insertMany(batch, { ordered: false });
  }
  return { first, last };
}
