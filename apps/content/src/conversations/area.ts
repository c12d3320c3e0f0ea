import type { ActorContext } from '@platform-backend/core';
import { overdueSeconds } from '@platform-backend/mongo';
import type { Area } from '@platform-backend/service';
import type { AccessExports } from '../access/area.ts';
import type { ConventionsExports } from '../conventions/area.ts';
import type { DocumentsExports } from '../documents/area.ts';
import type { PassagesExports } from '../passages/area.ts';
import type { ContentContext, service } from '../service.ts';
import { conversationHandlers } from './api/conversation-handlers.ts';
import { messageHandlers } from './api/message-handlers.ts';
import { conversationUseCases, removeDeletedConversations } from './app/conversations.ts';
import { indexDueMessages } from './app/index-messages.ts';
import { messageUseCases } from './app/messages.ts';
import { showSources } from './app/show-sources.ts';
import { conversationsStore } from './store/conversations-store.ts';
import { messagesStore } from './store/messages-store.ts';

export type ConversationsExports = ReturnType<typeof conversationsArea>['exports'];

interface ConversationsNeeds {
  readonly access: AccessExports;
  readonly conventions: Pick<ConventionsExports, 'idsAmong'>;
  readonly documents: Pick<DocumentsExports, 'idsAmong'>;
  readonly passages: PassagesExports;
}

/** Conversations and their messages: who sees them, what was said in them, and that it is found. */
export const conversationsArea = (
  { storage, clock, logger, metrics }: ContentContext,
  { access: { reader }, conventions, documents, passages: { passages, splitPassages } }: ConversationsNeeds,
) => {
  const show = showSources({ reader, documentsAmong: documents.idsAmong, conventionsAmong: conventions.idsAmong });
  const [conversations, messages] = [conversationsStore(storage.database), messagesStore(storage.database, show)];
  const ports = { conversations, messages, passages, splitPassages, clock, logger };
  const app = messageUseCases(ports);
  const turns = { ofConversations: '', ofMessages: '' };
  for (const [collection, what] of [
    ['messages', 'message'],
    ['conversations', 'changed title or readers of a conversation'],
  ] as const)
    metrics.observe(
      `content_${collection}_oldest_due_age_seconds`,
      `How long the ${what} that waits longest for searches to know of it has been due; 0: none is.`,
      () => overdueSeconds(storage.database, { collection, field: 'searchDueAt' }, clock.now()),
    );
  return {
    handlers: {
      ConversationService: conversationHandlers(conversationUseCases(ports)),
      MessageService: messageHandlers(app),
    },
    jobs: [
      { name: 'the indexing of messages', everyMs: 2_000, run: (stopping) => indexDueMessages(ports, turns, stopping) },
      {
        name: 'the removal of deleted conversations',
        everyMs: 5_000,
        run: (stopping) => removeDeletedConversations(ports, stopping),
      },
    ],
    exports: {
      conversations,
      messages,
      readMessage: (by: ActorContext, id: string) => app.getMessage(by, id),
      removeAll: async (organisationId: string): Promise<void> => {
        await messages.removeAll(organisationId);
        await conversations.removeAll(organisationId);
      },
    },
  } satisfies Area<typeof service.declaration>;
};
