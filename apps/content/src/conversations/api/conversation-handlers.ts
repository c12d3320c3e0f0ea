import type {
  ConversationInput,
  ConversationServiceHandlers,
  ListConversationsRequest,
} from '@platform-backend/contract-content';
import { requireVisible } from '@platform-backend/core';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import type { ConversationUseCases } from '../app/conversations.ts';
import type { ChangeConversation, Conversation } from '../domain/conversation.ts';
import type { ConversationList } from '../domain/conversations.ts';

export const conversationHandlers = (app: ConversationUseCases): ConversationServiceHandlers<CallContext> => ({
  listConversations: async (request, context) =>
    listAnswer('conversations', await app.listConversations(context.actorContext(), wanted(request)), conversationOf),

  getConversation: async ({ conversationId }, context) =>
    conversationOf(await app.getConversation(context.actorContext(), conversationId)),

  async updateConversation({ conversationId, updateMask, title, archived, currentMessageId }, context) {
    const given = fieldsGiven(updateMask, { title, archived, currentMessageId });
    requireVisible('body', { title: given.title });
    const change: ChangeConversation = {
      ...(given.title !== undefined && { title }),
      ...(given.archived !== undefined && { isArchived: archived }),
      ...(given.currentMessageId !== undefined && { currentMessageId }),
    };
    return conversationOf(await app.updateConversation(context.actorContext(), conversationId, change));
  },

  async deleteConversation({ conversationId }, context) {
    await app.deleteConversation(context.actorContext(), conversationId);
    return { id: conversationId, deleted: true };
  },

  shareConversation: async ({ conversationId }, context) =>
    conversationOf(await app.shareConversation(context.actorContext(), conversationId, true)),

  unshareConversation: async ({ conversationId }, context) =>
    conversationOf(await app.shareConversation(context.actorContext(), conversationId, false)),
});

const wanted = ({ memberId, shared, archived, title, ...page }: ListConversationsRequest): ConversationList => ({
  ...page,
  ...(memberId !== '' && { memberId }),
  ...(shared !== null && { isShared: shared }),
  ...(archived !== null && { isArchived: archived }),
  ...(title !== '' && { title }),
});

const conversationOf = (conversation: Conversation): ConversationInput => {
  const { isShared, isArchived, turn, lastMessageAt, ...fields } = conversation;
  return { ...fields, shared: isShared, archived: isArchived, turnInProgress: turn !== undefined, lastMessageAt };
};
