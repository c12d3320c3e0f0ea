import type { ListMessagesRequest, MessageInput, MessageServiceHandlers } from '@platform-backend/contract-content';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import type { MessageUseCases } from '../app/messages.ts';
import type { MessageList } from '../domain/conversations.ts';
import type { Message } from '../domain/message.ts';

export const messageHandlers = (app: MessageUseCases): MessageServiceHandlers<CallContext> => ({
  listMessages: async (request, context) =>
    listAnswer('messages', await app.listMessages(context.actorContext(), wanted(request)), messageOf),

  getMessage: async ({ messageId }, context) => messageOf(await app.getMessage(context.actorContext(), messageId)),

  rateMessage: async ({ messageId, rating, comment }, context) =>
    messageOf(await app.rateMessage(context.actorContext(), messageId, { rating, comment })),

  async deleteFeedback({ messageId }, context) {
    const { id } = await app.deleteFeedback(context.actorContext(), messageId);
    return { id, deleted: true };
  },
});

const wanted = (request: ListMessagesRequest): MessageList => {
  const { conversationId, memberId, senderType, isFinished, createdAfter, createdBefore, ...page } = request;
  return {
    ...page,
    ...(conversationId !== null && { conversationId }),
    ...(memberId !== '' && { memberId }),
    ...(senderType && { senderType }),
    ...(isFinished !== null && { isFinished }),
    ...(createdAfter && { createdAfter }),
    ...(createdBefore && { createdBefore }),
  };
};

export const messageOf = ({ parentId, annotations, attachments = [], ...message }: Message): MessageInput => ({
  ...message,
  attachments: [...attachments],
  annotations: annotations as MessageInput['annotations'],
  parentMessageId: parentId,
});
