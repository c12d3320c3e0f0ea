import type { ActorContext } from '@platform-backend/core';
import type { Area } from '@platform-backend/service';
import type { PassagesExports } from '../passages/area.ts';
import type { ContentContext, service } from '../service.ts';
import { conversationHandlers } from './api/conversation-handlers.ts';
import { messageHandlers } from './api/message-handlers.ts';
import { conversationUseCases, removeDeletedConversations } from './app/conversations.ts';
import { indexDueMessages } from './app/index-messages.ts';
import { messageUseCases } from './app/messages.ts';
import { conversationsStore } from './store/conversations-store.ts';
import { messagesStore } from './store/messages-store.ts';

export type ConversationsExports = ReturnType<typeof conversationsArea>['exports'];

/** Conversations and their messages: who sees them, what was said in them, and that it is found. */
export const conversationsArea = (
  { storage, clock, logger }: ContentContext,
  { passages: { passages, splitPassages } }: { readonly passages: PassagesExports },
) => {
  const [conversations, messages] = [conversationsStore(storage.database), messagesStore(storage.database)];
  const ports = { conversations, messages, passages, splitPassages, clock, logger };
  const app = messageUseCases(ports);
  return {
    handlers: {
      ConversationService: conversationHandlers(conversationUseCases(ports)),
      MessageService: messageHandlers(app),
    },
    jobs: [
      { name: 'the indexing of messages', everyMs: 2_000, run: (stopping) => indexDueMessages(ports, stopping) },
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
