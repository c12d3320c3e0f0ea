import type { ActorContext, Clock, Logger } from '@platform-backend/core';
import type { Database } from '@platform-backend/mongo';
import type { PeriodicJob } from '@platform-backend/service';
import { conversationHandlers } from '../api/conversation-handlers.ts';
import { messageHandlers } from '../api/message-handlers.ts';
import { conversationTurns } from '../app/conversation-turns.ts';
import { conversationUseCases, removeDeletedConversations } from '../app/conversations.ts';
import type { CutPassages } from '../app/index-conventions.ts';
import { indexDueMessages } from '../app/index-messages.ts';
import { messageUseCases } from '../app/messages.ts';
import type { Passages } from '../domain/search/passage.ts';
import { conversationsStore } from '../store/conversations-store.ts';
import { messagesStore } from '../store/messages-store.ts';

interface Parts {
  readonly database: Database;
  readonly passages: Passages;
  readonly cutPassages: CutPassages;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  readonly newId: () => string;
  readonly turnLeaseMs: number;
}

/** Conversations and their messages, put together. */
export function composeConversations(parts: Parts) {
  const ports = {
    ...parts,
    conversations: conversationsStore(parts.database),
    messages: messagesStore(parts.database),
  };
  const turns = conversationTurns(ports);
  const messages = messageUseCases(ports);
  const repeated: PeriodicJob[] = [
    {
      name: 'the end of answers that were broken off',
      everyMs: 5_000,
      run: (stopping) => turns.endBrokenOff(stopping),
    },
    { name: 'the indexing of messages', everyMs: 2_000, run: (stopping) => indexDueMessages(ports, stopping) },
    {
      name: 'the removal of deleted conversations',
      everyMs: 5_000,
      run: (stopping) => removeDeletedConversations(ports, stopping),
    },
  ];
  return {
    ...ports,
    turns,
    readMessage: (by: ActorContext, id: string) => messages.getMessage(by, id),
    repeated,
    handlers: {
      ConversationService: conversationHandlers(conversationUseCases(ports)),
      MessageService: messageHandlers(messages),
    },
    removeAll: async (organisationId: string): Promise<void> => {
      await ports.messages.removeAll(organisationId);
      await ports.conversations.removeAll(organisationId);
    },
  };
}
