import type { ActorContext, Clock, Logger } from '@platform-backend/core';
import type { Database } from '@platform-backend/mongo';
import type { PeriodicJob } from '@platform-backend/service';
import type { CutPassages } from '../conventions/app/index-conventions.ts';
import { conversationHandlers } from '../conversations/api/conversation-handlers.ts';
import { messageHandlers } from '../conversations/api/message-handlers.ts';
import { conversationUseCases, removeDeletedConversations } from '../conversations/app/conversations.ts';
import { indexDueMessages } from '../conversations/app/index-messages.ts';
import { messageUseCases } from '../conversations/app/messages.ts';
import { conversationsStore } from '../conversations/store/conversations-store.ts';
import { messagesStore } from '../conversations/store/messages-store.ts';
import type { Passages } from '../passages/domain/passage.ts';
import { conversationTurns } from '../turns/app/conversation-turns.ts';

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
